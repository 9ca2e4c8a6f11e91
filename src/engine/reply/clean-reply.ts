// A reply that has passed the check of reply-cleaner.ts: a sound message without OPT record, in which every
// record belongs to the question. It is a type of its own, which no other object fits: code that takes a
// CleanReply does not check it again. The bytes are valid during the call that hands it over, and the code
// that gets it may change them; `copy` makes one that lasts.

import { rcodeOf } from '#wire';

export class CleanReply {
  /** The message, from its first byte on. There may be room behind its end. */
  readonly bytes: Uint8Array;
  #length = 0;
  #extendedError = -1;
  #hasOpt = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.#length;
  }

  get rcode(): number {
    return rcodeOf(this.bytes, 0);
  }

  /** The Extended DNS Error that it came with (RFC 8914); -1: none. */
  get extendedError(): number {
    return this.#extendedError;
  }

  /** It came with an OPT record. */
  get hasOpt(): boolean {
    return this.#hasOpt;
  }

  /** For code that has checked what is in `bytes`, or has written it. */
  set(length: number, extendedError: number, hasOpt: boolean): this {
    this.#length = length;
    this.#extendedError = extendedError;
    this.#hasOpt = hasOpt;
    return this;
  }

  copy(): CleanReply {
    const bytes = this.bytes.slice(0, this.#length);
    return new CleanReply(bytes).set(this.#length, this.#extendedError, this.#hasOpt);
  }
}
