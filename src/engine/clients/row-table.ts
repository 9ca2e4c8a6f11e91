// A fixed number of rows found by four words, what is known of clients being kept in typed arrays beside it.
// A flood of forged addresses pushes old rows out and costs no memory: the row that was used longest ago
// among the eight that an address may have goes.

/** Rows that one key may stand in. */
const ways = 8;

export class RowTable {
  readonly rows: number;
  readonly #keys: Int32Array;
  readonly #usedAt: Int32Array;
  readonly #versions: Int32Array;
  readonly #seed: number;
  #round = 0;
  #version = 1;

  constructor(rows: number, seed: number) {
    this.rows = Math.max(ways, 1 << Math.ceil(Math.log2(rows)));
    this.#keys = new Int32Array(this.rows * 4);
    this.#usedAt = new Int32Array(this.rows);
    this.#versions = new Int32Array(this.rows);
    this.#seed = seed;
  }

  /** All rows are to be filled anew. */
  forget(): void {
    this.#version++;
  }

  /** The row of this key is to be filled anew, if it has one. */
  forgetOne(k0: number, k1: number, k2: number, k3: number): void {
    const first = hashWords(k0, k1, k2, k3, this.#seed) & (this.rows - 1) & ~(ways - 1);
    for (let row = first; row < first + ways; row++)
      if (this.#isAt(row << 2, k0, k1, k2, k3)) this.#versions[row] = 0;
  }

  /** The row of this key, or -1 - row for one that is new (or forgotten) and that the caller has to fill. */
  find(k0: number, k1: number, k2: number, k3: number): number {
    const first = hashWords(k0, k1, k2, k3, this.#seed) & (this.rows - 1) & ~(ways - 1);
    let oldest = first;
    for (let row = first; row < first + ways; row++) {
      if (this.#isAt(row << 2, k0, k1, k2, k3)) return this.#known(row);
      if ((this.#usedAt[row] ?? 0) < (this.#usedAt[oldest] ?? 0)) oldest = row;
    }
    this.#setKey(oldest << 2, k0, k1, k2, k3);
    this.#touch(oldest);
    this.#versions[oldest] = this.#version;
    return -1 - oldest;
  }

  #isAt(at: number, k0: number, k1: number, k2: number, k3: number): boolean {
    const keys = this.#keys;
    return keys[at + 3] === k3 && keys[at + 2] === k2 && keys[at + 1] === k1 && keys[at] === k0;
  }

  #setKey(at: number, k0: number, k1: number, k2: number, k3: number): void {
    this.#keys[at] = k0;
    this.#keys[at + 1] = k1;
    this.#keys[at + 2] = k2;
    this.#keys[at + 3] = k3;
  }

  /** An unused row has version 0, so that the key of all zeros is not taken for known. */
  #known(row: number): number {
    this.#touch(row);
    if (this.#versions[row] === this.#version) return row;
    this.#versions[row] = this.#version;
    return -1 - row;
  }

  #touch(row: number): void {
    if (this.#round === 0x7fffffff) {
      this.#usedAt.fill(0);
      this.#round = 0;
    }
    this.#usedAt[row] = ++this.#round;
  }
}

function hashWords(k0: number, k1: number, k2: number, k3: number, seed: number): number {
  let h = Math.imul(k0 ^ seed, 0x85ebca6b);
  h = Math.imul((h ^ (h >>> 13)) + k1, 0xc2b2ae35);
  h = Math.imul((h ^ (h >>> 16)) + k2, 0x27d4eb2f);
  h = Math.imul((h ^ (h >>> 15)) + k3, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
