// A set of numbers that a filter accepts: a bit for each, or their complement. Large numbers, of which there
// are few, stand in an ordinary set.

import { countOf, eachCount } from './counts.ts';

const mostBits = 1 << 26;
/** So many counts are looked up one by one; more, and the whole list is gone through. */
const fewIds = 4;

export class IdSet {
  readonly isNegated: boolean;
  readonly #ids: readonly number[];
  readonly #bits: Uint8Array;
  readonly #large: ReadonlySet<number>;

  constructor(ids: readonly number[], isNegated = false) {
    this.#ids = ids;
    this.isNegated = isNegated;
    const small = ids.filter((id) => id < mostBits);
    const most = small.reduce((largest, id) => Math.max(largest, id), 0);
    this.#bits = new Uint8Array((most >>> 3) + 1);
    for (const id of small) this.#bits[id >>> 3] = (this.#bits[id >>> 3] ?? 0) | (1 << (id & 7));
    this.#large = new Set(ids.filter((id) => id >= mostBits));
  }

  get isEmpty(): boolean {
    return this.#ids.length === 0 && !this.isNegated;
  }

  has(id: number): boolean {
    const isIn = id < mostBits ? (((this.#bits[id >>> 3] ?? 0) >>> (id & 7)) & 1) === 1 : this.#large.has(id);
    return isIn !== this.isNegated;
  }

  /** How many of what a coded list counts is in the set. */
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

  /** Fills `rows` with those of the first `length` whose value is in the set; tells how many. */
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

  /** Keeps the rows whose value is in the set; tells how many are left at the beginning of `rows`. */
  narrow(rows: Uint32Array, length: number, values: Uint32Array): number {
    let kept = 0;
    for (let i = 0; i < length; i++) {
      const row = rows[i] ?? 0;
      if (this.has(values[row] ?? 0)) rows[kept++] = row;
    }
    return kept;
  }
}
