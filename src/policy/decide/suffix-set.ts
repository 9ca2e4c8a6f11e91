// The names in a rule's `$denyallow`, as fingerprints in an open hash table. A rule with 500 of them costs as
// many lookups as the queried name has suffixes, and only of lengths that occur: nearly always one or two.

import type { SuffixHasher } from '../snapshot/suffix-hash.ts';

/** Zeros are an empty slot; a name has this fingerprint with a probability of 1 / 2^64. */
const slotWords = 2;

export class SuffixSet {
  readonly #slots: Int32Array;
  readonly #mask: number;
  /** The different numbers of labels, shortest first. */
  readonly depths: Uint8Array;

  /** `names`: wire bytes. `hasher` has the key of the queried names; its state is overwritten. */
  constructor(names: readonly Uint8Array[], hasher: SuffixHasher) {
    const slots = 2 ** Math.ceil(Math.log2(2 * names.length + 1));
    this.#mask = slots - 1;
    this.#slots = new Int32Array(slots * slotWords);
    const depths = new Set<number>();
    for (const name of names) {
      const depth = hasher.hash(name, name.length);
      depths.add(depth);
      this.#add(hasher.low[depth - 1] ?? 0, hasher.high[depth - 1] ?? 0);
    }
    this.depths = Uint8Array.from(depths).sort();
  }

  #add(low: number, high: number): void {
    const at = this.#slotOf(low, high);
    this.#slots[at] = low;
    this.#slots[at + 1] = high;
  }

  /** The slot with this fingerprint, or the empty one where it belongs. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots;
    let slot = low & this.#mask;
    for (;;) {
      const at = slot * slotWords;
      const first = slots[at] ?? 0;
      const second = slots[at + 1] ?? 0;
      if ((first === low && second === high) || (first === 0 && second === 0)) return at;
      slot = (slot + 1) & this.#mask;
    }
  }

  #has(low: number, high: number): boolean {
    const at = this.#slotOf(low, high);
    return this.#slots[at] === low && this.#slots[at + 1] === high;
  }

  /** The most lookups that `covers` makes. */
  lookups({ count }: SuffixHasher): number {
    return Math.min(count, this.depths.length);
  }

  /** Whether the hashed name is one of the names, or below one. */
  covers({ low, high, count }: SuffixHasher): boolean {
    for (let at = 0; at < this.depths.length; at++) {
      const depth = this.depths[at] ?? 0;
      if (depth > count) return false;
      if (this.#has(low[depth - 1] ?? 0, high[depth - 1] ?? 0)) return true;
    }
    return false;
  }
}
