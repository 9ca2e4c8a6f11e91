// The tickets of one connection: a few numbers, each with a serial that makes a second answer for it void.

const placeBits = 8;
const serialMask = 0x3f_ffff;

export class StreamTickets {
  readonly #serials: Int32Array;
  readonly #isHeld: Uint8Array;
  held = 0;

  constructor(places: number) {
    this.#serials = new Int32Array(places);
    this.#isHeld = new Uint8Array(places);
  }

  /** -1 when all are held. */
  hold(): number {
    const place = this.#isHeld.indexOf(0);
    if (place < 0) return -1;
    this.#isHeld[place] = 1;
    this.held += 1;
    return ((this.#serials[place] ?? 0) << placeBits) | place;
  }

  /** False when the ticket is not held any more. */
  release(ticket: number): boolean {
    const place = ticket & ((1 << placeBits) - 1);
    if (this.#isHeld[place] !== 1 || this.#serials[place] !== ticket >>> placeBits) return false;
    this.#isHeld[place] = 0;
    this.#serials[place] = ((this.#serials[place] ?? 0) + 1) & serialMask;
    this.held -= 1;
    return true;
  }
}
