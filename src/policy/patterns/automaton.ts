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
const needCount = 16;
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
export interface Automaton {
  /** By state: 1 for each character that the state accepts. State 0 is the beginning and accepts none. */
  readonly chars: readonly Uint8Array[];
  /** By state: its edges, `need << needShift | target`. */
  readonly edges: readonly (readonly number[])[];
  /** The expression can match at the beginning of the name only. */
  readonly isAnchored: boolean;
}

/** Consecutive optional parts each lead to all that follow: the edges grow with the square of the states. */
const maxEdges = 20_000;
/** Empty moves that are followed for all edges: many states can share a long way of them. */
const maxMoves = 300_000;
const noChars = new Uint8Array(charCount);

/**
 * Undefined when it has too many edges or empty moves. Automata that are built with the same tables share
 * them.
 */
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

/** Ranges of at most this many numbers are known by their text: there are many of the same few. */
const maxInKey = 16;

/**
 * Which characters an instruction accepts. There are far fewer tables than instructions: the repetitions of a
 * class have the same array of ranges, whose thousands of numbers are not read again.
 */
export class CharTables {
  readonly #byText = new Map<string, Uint8Array>();
  readonly #byRunes = new WeakMap<ArrayLike<number>, Uint8Array>();
  readonly #same = new Map<string, Uint8Array>();

  of(instruction: Instruction | undefined): Uint8Array {
    if (instruction === undefined) return noChars;
    const { op, arg, runes } = instruction;
    // Long ranges are of classes, to which `arg`, whether case counts, does not apply.
    if (op < anyRune && runes.length > maxInKey) return this.#known(this.#byRunes, runes, instruction);
    const text = op >= anyRune ? '' : `${arg} ${Array.from(runes).join()}`;
    return this.#known(this.#byText, text, instruction);
  }

  #known<K>(tables: Tables<K>, key: K, instruction: Instruction): Uint8Array {
    const known = tables.get(key);
    if (known !== undefined) return known;
    const chars = this.#unique(charsOf(instruction));
    tables.set(key, chars);
    return chars;
  }

  #unique(chars: Uint8Array): Uint8Array {
    const key = chars.join('');
    const same = this.#same.get(key) ?? chars;
    this.#same.set(key, same);
    return same;
  }
}

interface Tables<K> {
  get(key: K): Uint8Array | undefined;
  set(key: K, chars: Uint8Array): unknown;
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
  /** By place, which is an instruction with conditions: the last search that found it. */
  readonly #foundBy: Uint16Array;
  /** Places in the order of discovery; a place is visited once for each condition. */
  readonly #open: Int32Array;
  #opened = 0;
  #search = 0;
  #count = 0;
  #moves = 0;

  constructor(inst: readonly Instruction[], numbers: ReadonlyMap<number, number>) {
    this.#inst = inst;
    this.#numbers = numbers;
    this.#foundBy = new Uint16Array(inst.length * needCount);
    this.#open = new Int32Array(inst.length * needCount);
  }

  get isFull(): boolean {
    return this.#count > maxEdges || this.#moves > maxMoves;
  }

  from(start: number): readonly number[] {
    const edges: number[] = [];
    this.#search++;
    this.#opened = 0;
    this.#add(0, start);
    for (let at = 0; at < this.#opened && !this.isFull; at++) {
      const place = this.#open[at] ?? 0;
      const edge = this.#edgeAt(place);
      if (edge === undefined) this.#goOn(place);
      else this.#count = edges.push(edge) && this.#count + 1;
    }
    this.#moves += this.#opened;
    return withoutNeedless(edges);
  }

  #add(need: number, at: number): void {
    const index = need * this.#inst.length + at;
    if (this.#foundBy[index] === this.#search) return;
    this.#foundBy[index] = this.#search;
    this.#open[this.#opened++] = (need << needShift) | at;
  }

  /** An edge when the place accepts a character or is the end. */
  #edgeAt(place: number): number | undefined {
    const at = targetOf(place);
    const instruction = this.#inst[at];
    if (instruction === undefined) return undefined;
    const target = instruction.op === Op.match ? matched : this.#numbers.get(at);
    return target === undefined ? undefined : (needOf(place) << needShift) | target;
  }

  #goOn(place: number): void {
    const { op, out, arg } = this.#inst[targetOf(place)] ?? nowhere;
    const need = needOf(place);
    // Lookbehind is off, so a program contains nothing else.
    if (op === Op.fail || op > lastRune) return;
    this.#add(op === Op.empty ? need | needIn(arg) : need, out);
    if (op === Op.choice || op === Op.choiceMatch) this.#add(need, arg);
  }
}

const nowhere = { op: Op.fail, out: 0, arg: 0 };

function needIn(conditions: number): number {
  return needsOf.reduce((need, [theirs, ours]) => ((conditions & theirs) === 0 ? need : need | ours), 0);
}

/** An edge with more conditions than another one to the same state adds nothing. */
function withoutNeedless(edges: readonly number[]): readonly number[] {
  if (edges.every((edge) => needOf(edge) === 0)) return edges;
  const free = new Set(edges.filter((edge) => needOf(edge) === 0));
  return edges.filter((edge) => needOf(edge) === 0 || !free.has(targetOf(edge)));
}
