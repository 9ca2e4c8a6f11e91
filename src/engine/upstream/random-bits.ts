// Unpredictable numbers for ids, ports and the case of letters, drawn from the system in pieces of a few
// kilobytes: what an attacker has to guess must not be cheap to guess, nor expensive to make (RFC 5452).

export type FillRandom = (bytes: Uint8Array) => void;

const poolBytes = 4096;

export class RandomBits {
  readonly #fill: FillRandom;
  readonly #pool = new Uint8Array(poolBytes);
  #at = poolBytes;

  constructor(fill: FillRandom) {
    this.#fill = fill;
  }

  byte(): number {
    if (this.#at >= poolBytes) {
      this.#fill(this.#pool);
      this.#at = 0;
    }
    const value = this.#pool[this.#at] ?? 0;
    // What was handed out is not kept, so that a leak of memory tells no id.
    this.#pool[this.#at] = 0;
    this.#at += 1;
    return value;
  }

  word(): number {
    return (this.byte() << 8) | this.byte();
  }

  /** 0 .. count - 1, for counts far below 65,536. */
  below(count: number): number {
    return this.word() % count;
  }
}
