// The set of numbers that a filter accepts: one bit for each number, or the complement of such a set. Large
// numbers are rare and are kept in an ordinary set.

import { countOf, eachCount } from './counts.ts';

const maxBits = 1 << 26;
/** Up to this many counts are looked up one by one; for more, the whole list is scanned. */
const fewIds = 4;

export class IdSet {
  readonly isNegated: boolean;
  readonly #ids: readonly number[];
  readonly #bits: Uint8Array;
  readonly #large: ReadonlySet<number>;

  constructor(ids: readonly number[], isNegated = false) {
    this.#ids = ids;
    this.isNegated = isNegated;
    const small = ids.filter((id) => id < maxBits);
    const most = small.reduce((largest, id) => Math.max(largest, id), 0);
    this.#bits = new Uint8Array((most >>> 3) + 1);
    for (const id of small) this.#bits[id >>> 3] = (this.#bits[id >>> 3] ?? 0) | (1 << (id & 7));
    this.#large = new Set(ids.filter((id) => id >= maxBits));
  }

  get isEmpty(): boolean {
    return this.#ids.length === 0 && !this.isNegated;
  }

  has(id: number): boolean {
    const isIn = id < maxBits ? (((this.#bits[id >>> 3] ?? 0) >>> (id & 7)) & 1) === 1 : this.#large.has(id);
    return isIn !== this.isNegated;
  }

  /** The sum of an encoded list's counts for the numbers in the set. */
  sumOf(list: Uint8Array): number {
    let sum = 0;
    if (!this.isNegated && this.#ids.length <= fewIds) {
      for (const id of this.#ids) sum += countOf(list, id);
      return sum;
    }
    eachCount(list, (id, count) => {
      if (this.has(id)) sum += count;
    });
    return sum;
  }

  /** Fills `rows` with those of the first `length` rows whose value is in the set; returns how many. */
  select(rows: Uint32Array, length: number, values: Uint32Array): number {
    let count = 0;
    if (this.#ids.length === 1 && !this.isNegated) {
      const wanted = this.#ids[0] ?? 0;
      for (let row = 0; row < length; row++) if (values[row] === wanted) rows[count++] = row;
      return count;
    }
    for (let row = 0; row < length; row++) if (this.has(values[row] ?? 0)) rows[count++] = row;
    return count;
  }

  /** Keeps the rows whose value is in the set, at the beginning of `rows`; returns how many. */
  narrow(rows: Uint32Array, length: number, values: Uint32Array): number {
    let kept = 0;
    for (let i = 0; i < length; i++) {
      const row = rows[i] ?? 0;
      if (this.has(values[row] ?? 0)) rows[kept++] = row;
    }
    return kept;
  }
}
