// An expression as an automaton without empty moves: states that each accept one character, and edges between
// them. It is built from the program that re2js compiles, so that re2js alone defines what an expression
// means. The program has empty moves, and following them costs an unknown number of steps; here every step is
// one edge, so that steps can be counted and bounded.

/** An instruction of re2js; see `Op`. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The other branch of a choice, or the conditions of an empty match. */
  readonly arg: number;
  /** Ranges of characters that it accepts. */
  readonly runes: ArrayLike<number>;
  readonly matchRune: (rune: number) => boolean;
}

export interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}

/** Numbers of re2js. Captures and no-ops have one successor; from `firstRune` on characters are accepted. */
const Op = { choice: 1, choiceMatch: 2, empty: 4, fail: 5, match: 6 } as const;
const firstRune = 8;
const anyRune = 10;
const lastRune = 11;

/**
 * The condition of an edge at a place between two characters. A name is one line, so line and text ends are
 * the same.
 */
export const Need = { beginning: 1, end: 2, wordEdge: 4, noWordEdge: 8 } as const;
const needsOf = [
  [1 | 4, Need.beginning],
  [2 | 8, Need.end],
  [16, Need.wordEdge],
  [32, Need.noWordEdge],
] as const;

export const needShift = 24;
/** In place of a state: the expression has matched. */
export const matched = (1 << needShift) - 1;
const targetMask = matched;
export function targetOf(edge: number): number {
  return edge & targetMask;
}
export function needOf(edge: number): number {
  return edge >>> needShift;
}

/** The characters of names as text: printable ASCII, and `oddChar` (see name-text.ts). */
export const charCount = 128;
const firstChar = 0x21;
const lastChar = 0x7e;
/** In the text of a name: a byte that is not printable. Expressions see it as `oddRune`. */
export const oddChar = 0x7f;
/** The replacement character: `.`, `[^a-z]` and `\W` accept it, but no letter, digit or dot does. */
const oddRune = 0xfffd;
/** The longest name has 255 bytes, of which two are not in the text: the first length and the root label. */
export const longestText = 253;

export interface Automaton {
  /** By state: 1 for each character that the state accepts. State 0 is the beginning and accepts none. */
  readonly chars: readonly Uint8Array[];
  /** By state: its edges, `need << needShift | target`. */
  readonly edges: readonly (readonly number[])[];
  /** The expression can match at the beginning of the name only. */
  readonly isAnchored: boolean;
}

/** Consecutive optional parts each lead to all that follow: the edges grow with the square of the states. */
const mostEdges = 20_000;
const noChars = new Uint8Array(charCount);

/** Undefined when it has too many edges. Automata that are built with the same tables share them. */
export function automatonOf({ start, inst }: Program, tables = new CharTables()): Automaton | undefined {
  const states = [...inst.keys()].filter((at) => isRune(inst[at]));
  const numbers = new Map(states.map((at, index) => [at, index + 1]));
  const follow = new EdgeFinder(inst, numbers);
  const edges = [follow.from(start), ...states.map((at) => follow.from(inst[at]?.out ?? 0))];
  if (follow.isFull) return undefined;
  return {
    chars: [noChars, ...states.map((at) => tables.of(inst[at]))],
    edges,
    isAnchored: (edges[0] ?? []).every((edge) => (needOf(edge) & Need.beginning) !== 0),
  };
}

function isRune(instruction: Instruction | undefined): boolean {
  return instruction !== undefined && instruction.op >= firstRune && instruction.op <= lastRune;
}

/** Which characters an instruction accepts. There are far fewer tables than instructions. */
export class CharTables {
  readonly #known = new Map<string, Uint8Array>();
  readonly #same = new Map<string, Uint8Array>();

  of(instruction: Instruction | undefined): Uint8Array {
    if (instruction === undefined) return noChars;
    const { op, arg, runes } = instruction;
    const key = op >= anyRune ? '' : `${arg} ${Array.from(runes).join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const chars = this.#unique(charsOf(instruction));
    this.#known.set(key, chars);
    return chars;
  }

  #unique(chars: Uint8Array): Uint8Array {
    const key = chars.join('');
    const same = this.#same.get(key) ?? chars;
    this.#same.set(key, same);
    return same;
  }
}

function charsOf(instruction: Instruction): Uint8Array {
  const chars = new Uint8Array(charCount);
  for (let char = firstChar; char <= lastChar; char++) if (takes(instruction, char)) chars[char] = 1;
  if (takes(instruction, oddRune)) chars[oddChar] = 1;
  return chars;
}

function takes(instruction: Instruction, rune: number): boolean {
  return instruction.op >= anyRune || instruction.matchRune(rune);
}

/** Follows empty moves to all states that accept the next character, with the conditions on the way. */
class EdgeFinder {
  readonly #inst: readonly Instruction[];
  readonly #numbers: ReadonlyMap<number, number>;
  #count = 0;

  constructor(inst: readonly Instruction[], numbers: ReadonlyMap<number, number>) {
    this.#inst = inst;
    this.#numbers = numbers;
  }

  get isFull(): boolean {
    return this.#count > mostEdges;
  }

  from(start: number): readonly number[] {
    const edges: number[] = [];
    // Places with conditions, in the order of discovery; a place is visited once for each condition.
    const open = new Set<number>([start]);
    for (const place of open) {
      if (this.isFull) break;
      const edge = this.#edgeAt(place);
      if (edge !== undefined) this.#count = edges.push(edge) && this.#count + 1;
      else for (const next of this.#next(place)) open.add(next);
    }
    return withoutNeedless(edges);
  }

  /** An edge when the place accepts a character or is the end. */
  #edgeAt(place: number): number | undefined {
    const at = targetOf(place);
    const instruction = this.#inst[at];
    if (instruction === undefined) return undefined;
    const target = instruction.op === Op.match ? matched : this.#numbers.get(at);
    return target === undefined ? undefined : (needOf(place) << needShift) | target;
  }

  #next(place: number): readonly number[] {
    const { op, out, arg } = this.#inst[targetOf(place)] ?? nowhere;
    const need = needOf(place);
    // Lookbehind is off, so a program contains nothing else.
    if (op === Op.fail || op > lastRune) return [];
    if (op === Op.choice || op === Op.choiceMatch) return [placeOf(need, out), placeOf(need, arg)];
    return [placeOf(op === Op.empty ? need | needIn(arg) : need, out)];
  }
}

const nowhere = { op: Op.fail, out: 0, arg: 0 };
function placeOf(need: number, at: number): number {
  return (need << needShift) | at;
}

function needIn(conditions: number): number {
  return needsOf.reduce((need, [theirs, ours]) => ((conditions & theirs) === 0 ? need : need | ours), 0);
}

/** An edge with more conditions than another one to the same state adds nothing. */
function withoutNeedless(edges: readonly number[]): readonly number[] {
  if (edges.every((edge) => needOf(edge) === 0)) return edges;
  const free = new Set(edges.filter((edge) => needOf(edge) === 0));
  return edges.filter((edge) => needOf(edge) === 0 || !free.has(targetOf(edge)));
}
