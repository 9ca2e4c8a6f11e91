// Counts what the cache holds by type, some slots of its index at a time, so that no query waits for it: an
// entry that moves meanwhile may be counted twice or not at all. Names are spread evenly over the slots, so
// that a part of a very large cache stands for the whole.

import type { CacheOptions } from '../options.ts';
import { writeCensus, type TypeCount } from '../record/census-table.ts';
import { censusAtBytes } from '../record/counters.ts';
import type { AnswerCache } from './answer-cache.ts';
import { Entry } from './entry.ts';
import { ageOf, Freshness } from './freshness.ts';

/** At a time: some tens of microseconds. */
const sliceSlots = 4_096;
/** In all; more is extrapolated. */
const maxSlots = 1 << 20;
const typeMask = 0xffff;

export class Census {
  readonly #cache: AnswerCache;
  readonly #counts = new Map<number, { type: number; valid: number; stale: number }>();
  readonly #end: number;
  #next = 0;

  constructor(cache: AnswerCache) {
    this.#cache = cache;
    this.#end = Math.min(cache.slots, maxSlots);
  }

  /** One slice. True when there is more to look at. */
  step(nowSeconds: number, options: CacheOptions): boolean {
    const end = Math.min(this.#next + sliceSlots, this.#end);
    for (; this.#next < end; this.#next++) {
      const place = this.#cache.placeAt(this.#next);
      if (place >= 0) this.#count(place, nowSeconds, options);
    }
    return this.#next < this.#end;
  }

  counts(): readonly TypeCount[] {
    const scale = this.#cache.slots / this.#end;
    return [...this.#counts.values()].map(({ type, valid, stale }) => ({
      type,
      valid: Math.round(valid * scale),
      stale: Math.round(stale * scale),
    }));
  }

  /** Makes it known. */
  write(counters: SharedArrayBuffer): void {
    writeCensus(counters, censusAtBytes, this.counts());
  }

  #count(place: number, nowSeconds: number, options: CacheOptions): void {
    const type = (this.#cache.words[place + Entry.key] ?? 0) & typeMask;
    const row = this.#counts.get(type) ?? { type, valid: 0, stale: 0 };
    if (ageOf(this.#cache, place, nowSeconds, options) === Freshness.fresh) row.valid++;
    else row.stale++;
    this.#counts.set(type, row);
  }
}
