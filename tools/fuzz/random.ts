// Random numbers from a seed, so that a failing packet can be reproduced from the printed seed. Not for
// secrets.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 to `limit - 1`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  }

  byte(): number {
    return this.below(256);
  }
}
