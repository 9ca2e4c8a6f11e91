// Answers on their way into a stream, each with its length before it (RFC 1035 section 4.2.2): those that are
// known at once are put together here and written with one call. One buffer serves all connections of a
// thread, for it is filled and emptied within one piece of work.

import { MAX_MESSAGE_BYTES } from '#wire';

const lengthBytes = 2;
const bufferBytes = 2 * (MAX_MESSAGE_BYTES + lengthBytes);

export class AnswerBuffer {
  readonly out = new Uint8Array(bufferBytes);
  /** What an answer may have at most. */
  readonly outBytes = MAX_MESSAGE_BYTES;
  #length = 0;

  /** Where the next answer is to be written. */
  get next(): number {
    return this.#length + lengthBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** There is no room for another answer of any length. */
  get isFull(): boolean {
    return this.#length + lengthBytes + MAX_MESSAGE_BYTES > bufferBytes;
  }

  /** The next answer was written. */
  add(length: number): void {
    this.out[this.#length] = length >>> 8;
    this.out[this.#length + 1] = length;
    this.#length += lengthBytes + length;
  }

  /** A copy of all that was put together; the buffer is empty again. */
  drain(): Uint8Array {
    const taken = this.out.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
