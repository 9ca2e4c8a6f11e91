// Runs automata on the text of a name, one at a time, and counts each step. A step is a check of an edge, and
// one for each character; an expression that needs more steps than are left is aborted. The states of all
// automata are stored in a few arrays, and a run allocates nothing.

import { MAX_NAME_CHARACTERS } from '#wire';
import { matched, Need, needShift, charCount, type Automaton } from './automaton.ts';

export const Run = { differs: 0, matches: 1, unfinished: 2 } as const;

/** The cost of starting a run, whatever its result. */
export const runSteps = 8;
/** Stamps of earlier rounds must differ from new ones. */
const lastRound = 2 ** 31 - 2 * MAX_NAME_CHARACTERS;

export class Matcher {
  /** By automaton: its first state, which is its beginning. */
  readonly #starts: Int32Array;
  readonly #isAnchored: Uint8Array;
  /** By state: where its edges begin; the next entry is where they end. */
  readonly #rows: Int32Array;
  readonly #edges: Int32Array;
  /** By state: where its characters begin in the table of characters. */
  readonly #charsAt: Int32Array;
  readonly #chars: Uint8Array;
  /** The round in which a state was last opened. */
  readonly #stamps: Int32Array;
  #open: Int32Array;
  #next: Int32Array;
  #roundNumber = 0;
  readonly #met = new Uint8Array(MAX_NAME_CHARACTERS + 1);
  #text: Uint8Array = new Uint8Array(0);
  /** Steps of the last run. */
  steps = 0;

  constructor(automata: readonly Automaton[]) {
    const layout = new Layout(automata);
    this.#starts = Int32Array.from(layout.starts);
    this.#isAnchored = Uint8Array.from(automata, ({ isAnchored }) => (isAnchored ? 1 : 0));
    this.#rows = Int32Array.from(layout.rows);
    this.#edges = Int32Array.from(layout.edges);
    this.#charsAt = Int32Array.from(layout.charsAt);
    this.#chars = layout.chars();
    const states = layout.charsAt.length;
    this.#stamps = new Int32Array(states);
    const most = automata.reduce((size, { edges }) => Math.max(size, edges.length), 0) + 1;
    this.#open = new Int32Array(most);
    this.#next = new Int32Array(most);
  }

  /** Sets the text of the following runs. */
  read(text: Uint8Array): void {
    this.#text = text;
    const met = this.#met;
    let isBehindWord = 0;
    for (let at = 0; at <= text.length; at++) {
      const isWord = wordChars[text[at] ?? 0] ?? 0;
      met[at] = isWord === isBehindWord ? Need.noWordEdge : Need.wordEdge;
      isBehindWord = isWord;
    }
    met[0] = (met[0] ?? 0) | Need.beginning;
    met[text.length] = (met[text.length] ?? 0) | Need.end;
    if (this.#roundNumber > lastRound) this.#forget();
  }

  #forget(): void {
    this.#stamps.fill(0);
    this.#roundNumber = 0;
  }

  /** Aborts after more than `most` steps. */
  run(automaton: number, most: number): number {
    const { length } = this.#text;
    const start = this.#starts[automaton] ?? 0;
    const isAnchored = this.#isAnchored[automaton] === 1;
    this.#open[0] = start;
    this.steps = runSteps;
    let count = 1;
    for (let at = 0; at <= length; at++) {
      const opened = this.#round(at, count);
      if (opened < 0) return Run.matches;
      if (this.steps > most) return Run.unfinished;
      if (opened === 0 && isAnchored) return Run.differs;
      count = opened;
      if (!isAnchored) this.#open[count++] = start;
    }
    return Run.differs;
  }

  /** Processes one character: returns how many states it has opened, or -1 at a match. */
  #round(at: number, count: number): number {
    const open = this.#open;
    const missing = ~(this.#met[at] ?? 0) << needShift;
    const char = this.#text[at] ?? 0;
    this.#roundNumber++;
    this.steps++;
    let opened = 0;
    for (let index = 0; index < count && opened >= 0; index++)
      opened = this.#follow(open[index] ?? 0, char, missing, opened);
    this.#open = this.#next;
    this.#next = open;
    return opened;
  }

  /** Opens the successors of a state that accept the character; returns the same as `#round`. */
  #follow(state: number, char: number, missing: number, count: number): number {
    const edges = this.#edges;
    const round = this.#roundNumber;
    const to = this.#rows[state + 1] ?? 0;
    let place = this.#rows[state] ?? 0;
    let opened = count;
    this.steps += to - place;
    for (; place < to; place++) {
      const edge = edges[place] ?? 0;
      if ((edge & missing) !== 0) continue;
      const target = edge & matched;
      if (target === matched) return -1;
      if (this.#chars[(this.#charsAt[target] ?? 0) + char] === 0 || this.#stamps[target] === round) continue;
      this.#stamps[target] = round;
      this.#next[opened++] = target;
    }
    return opened;
  }
}

const wordChars = Uint8Array.from({ length: 256 }, (_, char) =>
  /\w/.test(String.fromCodePoint(char)) && char < charCount ? 1 : 0,
);

/** The automata one after the other; states that accept the same characters share a table. */
class Layout {
  readonly starts: number[] = [];
  readonly rows: number[] = [];
  readonly edges: number[] = [];
  readonly charsAt: number[] = [];
  readonly #tables = new Map<Uint8Array, number>();
  readonly #chars: Uint8Array[] = [];

  constructor(automata: readonly Automaton[]) {
    for (const automaton of automata) this.#add(automaton);
    this.rows.push(this.edges.length);
  }

  chars(): Uint8Array {
    return Buffer.concat(this.#chars);
  }

  #add({ chars, edges }: Automaton): void {
    const first = this.rows.length;
    this.starts.push(first);
    for (const [state, row] of edges.entries()) {
      this.rows.push(this.edges.length);
      this.charsAt.push(this.#tableOf(chars[state] ?? new Uint8Array(charCount)));
      for (const edge of row) this.edges.push((edge & matched) === matched ? edge : edge + first);
    }
  }

  #tableOf(chars: Uint8Array): number {
    const known = this.#tables.get(chars);
    if (known !== undefined) return known;
    const at = (this.#chars.push(chars) - 1) * charCount;
    this.#tables.set(chars, at);
    return at;
  }
}
