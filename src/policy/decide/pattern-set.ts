// All regular expressions of a layer. A prefilter selects those that can match a name; they are run one after
// the other, small ones first, until the steps of the budget are used up, so that expensive ones are left
// unfinished. The result for a name is cached by its fingerprint, as a number that stands for a list of
// expressions; nearly always that is 0, for none.

import { stepsPerSet, type PatternBudget } from '../patterns/budget.ts';
import { Matcher, Run } from '../patterns/matcher.ts';
import { Prefilter } from '../patterns/prefilter.ts';
import type { PatternReader, ReadPattern } from '../patterns/pattern-reader.ts';
import { NameText } from './name-text.ts';

export interface PatternSource {
  readonly text: string;
  /** Matches when the expression does not. */
  readonly isInverted: boolean;
}

const cacheEntries = 16_384;
const entryWords = 3;
/**
 * Limits for the number of different results, and for the numbers in all of them; above that the cache is
 * cleared.
 */
const maxResults = 4096;
const maxResultNumbers = 2 ** 18;
/** In the third word of an entry. */
const cutBit = 1 << 30;

const none: readonly number[] = [];

interface Ready extends ReadPattern {
  readonly number: number;
}

export class PatternSet {
  readonly patterns: readonly PatternSource[];
  /** Numbers of patterns that cannot be parsed or have too many edges; they never match. */
  readonly failed: readonly number[];
  /** Whether the last `match` left expressions unfinished. */
  isCut = false;
  /** Steps for the last name that was not cached; above its budget when it was left unfinished. */
  steps = 0;
  /** Steps of each pattern for names on which some patterns were left unfinished. */
  readonly blame: Float64Array;
  /** By rank, small patterns first: the number of the pattern. */
  readonly #numbers: Int32Array;
  readonly #matcher: Matcher;
  readonly #prefilter: Prefilter;
  /** By rank. */
  readonly #steps: Int32Array;
  /** Ranks of the inverted patterns. */
  readonly #inverted: Int32Array;
  /** By rank: 1 for inverted patterns. */
  readonly #isInverted: Uint8Array;
  /** By rank: 1 for those that match the last name; only used while results are inverted. */
  readonly #isFound: Uint8Array;
  readonly #text = new NameText();
  readonly #cache = new Int32Array(cacheEntries * entryWords);
  readonly #resultNumbers = new Map<string, number>();
  #results: (readonly number[])[] = [none];
  #resultSize = 0;
  /** The ranks of the expressions that match the last name, before inversion. */
  readonly #found: number[] = [];
  /** The rank of the first unfinished expression. */
  #end = 0;
  /** The step limit of the last name. */
  #most = stepsPerSet;

  constructor(patterns: readonly PatternSource[], reader: PatternReader) {
    this.patterns = patterns;
    const ready = readyOf(patterns, reader);
    const numbers = new Set(ready.map(({ number }) => number));
    this.failed = [...patterns.keys()].filter((number) => !numbers.has(number));
    this.#numbers = Int32Array.from(ready, ({ number }) => number);
    this.#matcher = new Matcher(ready.map(({ automaton }) => automaton));
    this.#prefilter = new Prefilter(ready.map(({ grams }) => grams));
    this.#steps = new Int32Array(ready.length);
    this.blame = new Float64Array(patterns.length);
    this.#inverted = Int32Array.from(
      ready.keys().filter((rank) => patterns[this.#numbers[rank] ?? -1]?.isInverted === true),
    );
    this.#isInverted = new Uint8Array(ready.length);
    for (const rank of this.#inverted) this.#isInverted[rank] = 1;
    this.#isFound = new Uint8Array(ready.length);
    this.#forget();
  }

  #forget(): void {
    this.#cache.fill(0);
    this.#resultNumbers.clear();
    this.#resultNumbers.set('', 0);
    this.#results = [none];
    this.#resultSize = 0;
  }

  /** The patterns that match, in order. The fingerprint is that of the whole name. */
  match(
    name: Uint8Array,
    nameLength: number,
    low: number,
    high: number,
    budget: PatternBudget,
  ): readonly number[] {
    const cache = this.#cache;
    const at = (low & (cacheEntries - 1)) * entryWords;
    // Results are cached as numbers from 1 on, so that zeroed memory is an empty cache.
    const kept = cache[at + 2] ?? 0;
    if (kept === 0 || cache[at] !== low || cache[at + 1] !== high)
      return this.#matchNew(name, nameLength, low, high, budget);
    this.#most = stepsPerSet;
    this.isCut = (kept & cutBit) !== 0;
    return this.#results[(kept & ~cutBit) - 1] ?? none;
  }

  #matchNew(
    name: Uint8Array,
    nameLength: number,
    low: number,
    high: number,
    budget: PatternBudget,
  ): readonly number[] {
    const most = Math.min(stepsPerSet, budget.left);
    this.#most = most;
    this.steps = this.#run(this.#text.of(name, nameLength), most);
    // The last round may take more than is left; the excess is not charged to later names.
    budget.left -= Math.min(most, this.steps);
    const result = this.#resultOf(this.#collect());
    // Cut below the full limit it is not cached: a later query may have more steps left for this name.
    if (!this.isCut || most === stepsPerSet) this.#keep(low, high, result);
    return this.#results[result] ?? none;
  }

  #keep(low: number, high: number, result: number): void {
    const cache = this.#cache;
    const at = (low & (cacheEntries - 1)) * entryWords;
    cache[at] = low;
    cache[at + 1] = high;
    cache[at + 2] = (result + 1) | (this.isCut ? cutBit : 0);
  }

  #resultOf(matched: readonly number[]): number {
    if (matched.length === 0) return 0;
    const key = matched.join();
    const known = this.#resultNumbers.get(key);
    if (known !== undefined) return known;
    this.#resultSize += matched.length;
    if (this.#results.length >= maxResults || this.#resultSize > maxResultNumbers) this.#forget();
    const number = this.#results.push(matched) - 1;
    this.#resultNumbers.set(key, number);
    return number;
  }

  /** Tries the candidates; returns how many steps that took. */
  #run(text: Uint8Array, most: number): number {
    const { candidates } = this.#prefilter;
    this.isCut = false;
    this.#found.length = 0;
    this.#end = this.#numbers.length;
    // Half of the steps are reserved for runs, so that small expressions are tried whatever the prefilter
    // costs.
    const hasCandidates = this.#prefilter.look(text, most >>> 1);
    let taken = this.#prefilter.steps;
    if (!hasCandidates) return taken;
    this.#matcher.read(text);
    for (let word = 0; word < candidates.length; word++)
      for (let bits = candidates[word] ?? 0; bits !== 0; bits &= bits - 1) {
        const rank = (word << 5) + 31 - Math.clz32(bits & -bits);
        const outcome = this.#matcher.run(rank, most - taken);
        taken += this.#steps[rank] = this.#matcher.steps;
        if (outcome === Run.unfinished) return this.#giveUp(rank, taken);
        if (outcome === Run.matches) this.#found.push(rank);
      }
    return taken;
  }

  #giveUp(end: number, taken: number): number {
    this.isCut = true;
    this.#end = end;
    for (let rank = 0; rank <= end; rank++) {
      if (!this.#isCandidate(rank)) continue;
      const number = this.#numbers[rank] ?? 0;
      this.blame[number] = (this.blame[number] ?? 0) + (this.#steps[rank] ?? 0);
    }
    return taken;
  }

  #isCandidate(rank: number): boolean {
    return (((this.#prefilter.candidates[rank >>> 5] ?? 0) >>> (rank & 31)) & 1) === 1;
  }

  #isUnfinished(rank: number): boolean {
    return rank >= this.#end && this.#isCandidate(rank);
  }

  /** The numbers of the matching patterns, in order. */
  #collect(): readonly number[] {
    const found = this.#inverted.length === 0 ? this.#found : this.#turned();
    if (found.length === 0) return none;
    // There may be thousands of inverted ones: a typed array is sorted without a function.
    return Array.from(Int32Array.from(found, (rank) => this.#numbers[rank] ?? 0).sort());
  }

  #turned(): readonly number[] {
    const found = this.#found;
    const isFound = this.#isFound;
    for (const rank of found) isFound[rank] = 1;
    const isTurned = (rank: number): boolean => isFound[rank] === 0 && !this.#isUnfinished(rank);
    const plain = found.filter((rank) => this.#isInverted[rank] === 0);
    const turned = plain.concat(Array.from(this.#inverted.filter(isTurned)));
    for (const rank of found) isFound[rank] = 0;
    return turned;
  }

  /** The patterns that the last `match`, which must have been for this name, left unfinished. */
  unfinished(name: Uint8Array, nameLength: number): readonly number[] {
    this.#run(this.#text.of(name, nameLength), this.#most);
    if (!this.isCut) return none;
    return [...this.#numbers.keys()]
      .filter((rank) => this.#isUnfinished(rank))
      .map((rank) => this.#numbers[rank] ?? 0)
      .sort(byNumber);
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}

/** The patterns that can be run, small ones first. */
function readyOf(patterns: readonly PatternSource[], reader: PatternReader): readonly Ready[] {
  const ready = patterns.flatMap(({ text }, number) => {
    const read = reader.read(text);
    return read === undefined ? [] : [{ ...read, number }];
  });
  return ready.sort((a, b) => a.edges - b.edges || a.number - b.number);
}
