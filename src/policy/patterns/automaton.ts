// An expression as an automaton without empty moves: states that each take one sign, and edges between them.
// It is made of the program that re2js compiles, so that re2js alone decides what an expression means. The
// program has empty moves, and following them costs an unknown number of steps; here every step is one edge,
// so that steps can be counted and bounded.

/** An instruction of re2js; see `Op`. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The other way of a choice, or the conditions of an empty match. */
  readonly arg: number;
  /** Ranges of signs that it takes. */
  readonly runes: ArrayLike<number>;
  readonly matchRune: (rune: number) => boolean;
}

export interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}

/** Numbers of re2js. Captures and what does nothing go on; from `firstRune` on signs are taken. */
const Op = { choice: 1, choiceMatch: 2, empty: 4, fail: 5, match: 6 } as const;
const firstRune = 8;
const anyRune = 10;
const lastRune = 11;

/** What an edge needs: the place between two signs. A name has one line, so that of a line is that of it. */
export const Need = { beginning: 1, end: 2, wordEdge: 4, noWordEdge: 8 } as const;
const needsOf = [
  [1 | 4, Need.beginning],
  [2 | 8, Need.end],
  [16, Need.wordEdge],
  [32, Need.noWordEdge],
] as const;

export const needShift = 24;
/** Instead of a state: the expression has matched. */
export const matched = (1 << needShift) - 1;
const targetMask = matched;
export function targetOf(edge: number): number {
  return edge & targetMask;
}
export function needOf(edge: number): number {
  return edge >>> needShift;
}

/** The signs of names as text: the printable ones of ASCII, and `oddSign` (see name-text.ts). */
export const signCount = 128;
const firstSign = 0x21;
const lastSign = 0x7e;
/** In the text of a name: a byte that is no printable sign. Expressions see it as `oddRune`. */
export const oddSign = 0x7f;
/** The replacement character: `.`, `[^a-z]` and `\W` take it, but no letter, digit or dot does. */
const oddRune = 0xfffd;
/** The longest name has 255 bytes, of which two are no signs: the first length and the root label. */
export const longestText = 253;

export interface Automaton {
  /** By state: for each sign 1 when the state takes it. State 0 is the beginning, and takes none. */
  readonly signs: readonly Uint8Array[];
  /** By state: where it leads, `need << needShift | target`. */
  readonly edges: readonly (readonly number[])[];
  /** The expression can begin at the beginning of the name only. */
  readonly isAnchored: boolean;
}

/** Optional parts in a row lead each to all that follow: the edges are the square of the states. */
const mostEdges = 20_000;
const noSigns = new Uint8Array(signCount);

/** Undefined when it has too many edges. Automata that are made with the same tables share them. */
export function automatonOf({ start, inst }: Program, tables = new SignTables()): Automaton | undefined {
  const states = [...inst.keys()].filter((at) => isRune(inst[at]));
  const numbers = new Map(states.map((at, index) => [at, index + 1]));
  const follow = new EdgeFinder(inst, numbers);
  const edges = [follow.from(start), ...states.map((at) => follow.from(inst[at]?.out ?? 0))];
  if (follow.isFull) return undefined;
  return {
    signs: [noSigns, ...states.map((at) => tables.of(inst[at]))],
    edges,
    isAnchored: (edges[0] ?? []).every((edge) => (needOf(edge) & Need.beginning) !== 0),
  };
}

function isRune(instruction: Instruction | undefined): boolean {
  return instruction !== undefined && instruction.op >= firstRune && instruction.op <= lastRune;
}

/** Which signs an instruction takes. There are far fewer tables than instructions. */
export class SignTables {
  readonly #known = new Map<string, Uint8Array>();
  readonly #same = new Map<string, Uint8Array>();

  of(instruction: Instruction | undefined): Uint8Array {
    if (instruction === undefined) return noSigns;
    const { op, arg, runes } = instruction;
    const key = op >= anyRune ? '' : `${arg} ${Array.from(runes).join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const signs = this.#unique(signsOf(instruction));
    this.#known.set(key, signs);
    return signs;
  }

  #unique(signs: Uint8Array): Uint8Array {
    const key = signs.join('');
    const same = this.#same.get(key) ?? signs;
    this.#same.set(key, same);
    return same;
  }
}

function signsOf(instruction: Instruction): Uint8Array {
  const signs = new Uint8Array(signCount);
  for (let sign = firstSign; sign <= lastSign; sign++) if (takes(instruction, sign)) signs[sign] = 1;
  if (takes(instruction, oddRune)) signs[oddSign] = 1;
  return signs;
}

function takes(instruction: Instruction, rune: number): boolean {
  return instruction.op >= anyRune || instruction.matchRune(rune);
}

/** Follows empty moves to all states that take the next sign, with what has to hold on the way. */
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
    // Places with needs, in the order in which they are met; a place is looked at once for each need.
    const open = new Set<number>([start]);
    for (const place of open) {
      if (this.isFull) break;
      const edge = this.#edgeAt(place);
      if (edge !== undefined) this.#count = edges.push(edge) && this.#count + 1;
      else for (const next of this.#next(place)) open.add(next);
    }
    return withoutNeedless(edges);
  }

  /** An edge when the place takes a sign or is the end. */
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
    // Looking behind is off, so that nothing else is in a program.
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

/** An edge that needs more than another one to the same state adds nothing. */
function withoutNeedless(edges: readonly number[]): readonly number[] {
  if (edges.every((edge) => needOf(edge) === 0)) return edges;
  const free = new Set(edges.filter((edge) => needOf(edge) === 0));
  return edges.filter((edge) => needOf(edge) === 0 || !free.has(targetOf(edge)));
}
