// All regular expressions of a layer, tried at once by re2js: time linear in the name, whatever people
// write, and memory of its automaton within a limit. What a name matched is kept by its fingerprint, as a
// number that stands for a list of patterns; nearly always that is 0, for none.

import type * as re2js from 're2js';
import { NameText } from './name-text.ts';

/** Handed in, because a policy without patterns does not pay for loading it. */
export type PatternEngine = Pick<typeof re2js, 'RE2JS' | 'RE2Set'>;

export interface PatternSource {
  readonly text: string;
  /** Matches when the text does not. */
  readonly isInverted: boolean;
}

const cacheEntries = 16_384;
const entryWords = 3;
/** Different lists of patterns that names matched; past that all is forgotten. */
const mostResults = 4096;
const automatonBytes = 8 * 2 ** 20;

const none: readonly number[] = [];

interface Part {
  readonly set: re2js.RE2Set;
  /** The number of the part's first pattern. */
  readonly first: number;
}

export class PatternSet {
  readonly patterns: readonly PatternSource[];
  /** Numbers of patterns that re2js did not take; they never match. */
  readonly failed: readonly number[];
  readonly #parts: readonly Part[];
  readonly #inverted: readonly number[];
  readonly #text = new NameText();
  readonly #cache = new Int32Array(cacheEntries * entryWords);
  readonly #numbers = new Map<string, number>();
  #results: (readonly number[])[] = [none];

  constructor(patterns: readonly PatternSource[], engine: PatternEngine) {
    const failed = new Set<number>();
    this.patterns = patterns;
    this.#parts = partsOf(engine, patterns, 0, patterns.length, failed);
    this.failed = [...failed];
    this.#inverted = patterns.flatMap(({ isInverted }, number) =>
      isInverted && !failed.has(number) ? [number] : [],
    );
    this.#forget();
  }

  #forget(): void {
    this.#cache.fill(0);
    this.#numbers.clear();
    this.#numbers.set('', 0);
    this.#results = [none];
  }

  /** The patterns that match, in order. The fingerprint is that of the whole name. */
  match(name: Uint8Array, nameLength: number, low: number, high: number): readonly number[] {
    const cache = this.#cache;
    const at = (low & (cacheEntries - 1)) * entryWords;
    // Results are kept from 1 on, so that memory of zeros holds nothing.
    const kept = cache[at + 2] ?? 0;
    if (kept !== 0 && cache[at] === low && cache[at + 1] === high) return this.#results[kept - 1] ?? none;
    const result = this.#resultOf(this.#find(this.#text.of(name, nameLength)));
    cache[at] = low;
    cache[at + 1] = high;
    cache[at + 2] = result + 1;
    return this.#results[result] ?? none;
  }

  #resultOf(matched: readonly number[]): number {
    if (matched.length === 0) return 0;
    const key = matched.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#results.length >= mostResults) this.#forget();
    const number = this.#results.push(matched) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  #find(text: Uint8Array): readonly number[] {
    const [only] = this.#parts;
    const isPlain = this.#parts.length === 1 && this.#inverted.length === 0;
    if (isPlain && only !== undefined) return only.set.match(text);
    const matched = this.#parts.flatMap(({ set, first }) => set.match(text).map((number) => first + number));
    if (this.#inverted.length === 0) return matched;
    const turned = this.#inverted.filter((number) => !matched.includes(number));
    return matched
      .filter((number) => !this.#inverted.includes(number))
      .concat(turned)
      .toSorted((a, b) => a - b);
  }
}

/** One automaton for all; when re2js refuses, because of one or because of all of them, one for each half. */
function partsOf(
  engine: PatternEngine,
  patterns: readonly PatternSource[],
  from: number,
  to: number,
  failed: Set<number>,
): readonly Part[] {
  if (from === to) return [];
  try {
    const { RE2JS, RE2Set } = engine;
    const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, automatonBytes);
    for (let at = from; at < to; at++) set.add(patterns[at]?.text ?? '');
    set.compile();
    return [{ set, first: from }];
  } catch {
    if (to - from === 1) {
      failed.add(from);
      return [];
    }
    const middle = (from + to) >>> 1;
    return [
      ...partsOf(engine, patterns, from, middle, failed),
      ...partsOf(engine, patterns, middle, to, failed),
    ];
  }
}
