// Selects the expressions of a set that can match a name, with one lookup per character: expressions are
// indexed by the grams that they require (see required-grams.ts), and expressions whose grams are not in a
// name need no further check. Expressions without known grams are always candidates. Thousands of expressions
// may have the same gram, so this work is counted in steps, too.

import { codeBits, Code, codeOf } from './char-codes.ts';
import type { Grams } from './required-grams.ts';

const gramBits = [0, 0, 2 * codeBits, 3 * codeBits] as const;
const wordBits = 32;
const lastLook = 2 ** 31 - 1;
/** Characters that are checked in one step, and expressions that are added, as powers of two. */
const charsPerStepBits = 2;
const notesPerStepBits = 1;

export class Prefilter {
  /** A bit for each expression. Valid until the next `look`. */
  readonly candidates: Int32Array;
  /** Of the last `look`. */
  steps = 0;
  readonly #always: Int32Array;
  readonly #hasAlways: boolean;
  readonly #all: Int32Array;
  /** Whether there are candidates besides those that always are. */
  #isChanged = false;
  readonly #pairs: GramTable;
  readonly #triples: GramTable;
  /** Counts the names. */
  #look = 0;

  constructor(grams: readonly (Grams | undefined)[]) {
    const words = Math.ceil(grams.length / wordBits);
    this.#always = new Int32Array(words);
    this.#all = new Int32Array(words);
    for (const [number, known] of grams.entries()) {
      setBit(this.#all, number);
      if (known === undefined) setBit(this.#always, number);
    }
    this.#pairs = new GramTable(2, grams);
    this.#triples = new GramTable(3, grams);
    this.candidates = this.#always.slice();
    this.#hasAlways = this.#always.some((word) => word !== 0);
  }

  #nextLook(): number {
    if (this.#isChanged) this.candidates.set(this.#always);
    this.#isChanged = false;
    if (this.#look === lastLook) {
      this.#pairs.forget();
      this.#triples.forget();
      this.#look = 0;
    }
    return ++this.#look;
  }

  /**
   * Fills the candidates for a name as text; returns whether there are any. Stops when it would take more
   * than `most` steps: then all expressions are candidates.
   */
  look(text: Uint8Array, most: number): boolean {
    const pairBits = this.#pairs.bits;
    const tripleBits = this.#triples.bits;
    const { length } = text;
    const look = this.#nextLook();
    this.steps = (length >>> charsPerStepBits) + 1;
    if (this.steps > most) return this.#giveUp();
    let gram: number = Code.beginning;
    for (let at = 0; at <= length; at++) {
      const code = at < length ? (codeOf[text[at] ?? 0] ?? 0) : Code.end;
      gram = ((gram << codeBits) | code) & tripleMask;
      const isTriple = ((tripleBits[gram >>> 5] ?? 0) >>> (gram & 31)) & 1;
      const pair = gram & pairMask;
      const isPair = ((pairBits[pair >>> 5] ?? 0) >>> (pair & 31)) & 1;
      if ((isTriple | isPair) !== 0 && !this.#collect(gram, isTriple, isPair, look, most))
        return this.#giveUp();
    }
    return this.#hasCandidates;
  }

  get #hasCandidates(): boolean {
    return this.#hasAlways || this.#isChanged;
  }

  /** False when there are not enough steps. */
  #collect(gram: number, isTriple: number, isPair: number, look: number, most: number): boolean {
    return (
      (isTriple === 0 || this.#collectFrom(this.#triples, gram, look, most)) &&
      (isPair === 0 || this.#collectFrom(this.#pairs, gram & pairMask, look, most))
    );
  }

  #collectFrom(table: GramTable, gram: number, look: number, most: number): boolean {
    const place = table.placeOf(gram);
    const steps = this.steps + 1 + (table.newAt(place, look) >>> notesPerStepBits);
    if (steps > most) return false;
    this.steps = steps;
    this.#isChanged = true;
    table.collect(place, look, this.candidates);
    return true;
  }

  #giveUp(): boolean {
    this.#isChanged = true;
    this.candidates.set(this.#all);
    return true;
  }
}

const pairMask = (1 << gramBits[2]) - 1;
const tripleMask = (1 << gramBits[3]) - 1;

function setBit(words: Int32Array, number: number): void {
  const word = number >>> 5;
  words[word] = (words[word] ?? 0) | (1 << (number & 31));
}

/** More than there are expressions in a set. */
const numberRoom = 2 ** 16;

/** The expressions by their grams: a bit for each gram, and where the expressions of each begin. */
class GramTable {
  readonly bits: Int32Array;
  /** Grams in order; the entry of `#from` with the same index is where their expressions begin. */
  readonly #grams: Int32Array;
  readonly #from: Int32Array;
  readonly #expressions: Int32Array;
  /** By gram: the name for which it was last collected, because names repeat their grams. */
  readonly #collectedFor: Int32Array;

  constructor(size: 2 | 3, all: readonly (Grams | undefined)[]) {
    const entries = all.flatMap((known, number) =>
      known?.size === size ? known.grams.map((gram) => gram * numberRoom + number) : [],
    );
    // By gram, then by number.
    const sorted = Float64Array.from(entries).sort();
    const grams = [...new Set(sorted.map((entry) => Math.floor(entry / numberRoom)))];
    // Without grams a table of one word is enough: nothing is looked up in it.
    this.bits = new Int32Array(grams.length === 0 ? 1 : (1 << gramBits[size]) / wordBits);
    for (const gram of grams) setBit(this.bits, gram);
    this.#grams = Int32Array.from(grams);
    this.#expressions = Int32Array.from(sorted, (entry) => entry % numberRoom);
    this.#collectedFor = new Int32Array(grams.length);
    this.#from = new Int32Array(grams.length + 1).fill(sorted.length);
    for (let at = sorted.length - 1; at >= 0; at--)
      this.#from[this.placeOf(Math.floor((sorted[at] ?? 0) / numberRoom))] = at;
  }

  /** How many expressions `collect` would add. */
  newAt(place: number, look: number): number {
    if (this.#collectedFor[place] === look) return 0;
    return (this.#from[place + 1] ?? 0) - (this.#from[place] ?? 0);
  }

  collect(place: number, look: number, candidates: Int32Array): void {
    if (this.#collectedFor[place] === look) return;
    this.#collectedFor[place] = look;
    const to = this.#from[place + 1] ?? 0;
    for (let at = this.#from[place] ?? 0; at < to; at++) setBit(candidates, this.#expressions[at] ?? 0);
  }

  /** The numbers of names start again. */
  forget(): void {
    this.#collectedFor.fill(0);
  }

  /** Only for grams that it contains. */
  placeOf(gram: number): number {
    const grams = this.#grams;
    let [from, to] = [0, grams.length - 1];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((grams[middle] ?? 0) < gram) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
