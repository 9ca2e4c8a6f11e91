// The only check of a reply of an upstream: whether it is a sound message that answers its question, and
// which of its records belong to the question. Each reply is checked once, when it arrives; what passes is a
// CleanReply. The work is mostly a copy: only a reply with foreign records or odd pointers is written anew.

import { copyBytes, copyKept, copyWithoutOpt, MAX_MESSAGE_BYTES, MessageCheck, putU16, u16 } from '#wire';
import { Belonging } from './belonging.ts';
import { CleanReply } from './clean-reply.ts';

const headerAndTypeBytes = 16;
const maxHeaderRcode = 15;

export class ReplyCleaner {
  /**
   * How many records of the last reply were dropped because they do not belong to the question, those of a
   * reply that was refused as a whole included. The records of an unsound message cannot be counted: 0.
   */
  foreign = 0;
  readonly #check = new MessageCheck();
  readonly #belonging = new Belonging();
  readonly #reply = new CleanReply(new Uint8Array(MAX_MESSAGE_BYTES));

  /**
   * The reply, valid until the next call; undefined when it is malformed or answers another question.
   * `name`: that of the question, in lower case.
   */
  clean(message: Uint8Array, start: number, length: number, name: Uint8Array): CleanReply | undefined {
    const check = this.#check;
    this.foreign = 0;
    if (!check.isSound(message, start, length)) return undefined;
    if (check.recordsAt - start !== headerAndTypeBytes + name.length) return undefined;
    // Codes beyond the header's four bits are about the hop to the upstream (BADVERS, BADCOOKIE).
    if (check.rcode > maxHeaderRcode) return undefined;
    const belonging = this.#belonging;
    belonging.sort(message, start, length, name);
    this.foreign = belonging.foreign;
    if (belonging.isAllForeign) return undefined;
    return this.#reply.set(this.#copy(message, start, length), check.extendedError, check.optAt >= 0);
  }

  #copy(message: Uint8Array, start: number, length: number): number {
    const { hasOddPointers, optAt, optEnd, recordsEnd } = this.#check;
    const { bytes } = this.#reply;
    if (this.foreign > 0 || hasOddPointers)
      return copyKept(message, start, length, this.#belonging.keep, bytes);
    if (optAt >= 0 && optEnd !== recordsEnd) return copyWithoutOpt(message, start, length, bytes, 0);
    // OPT is the last record, or there is none.
    const size = copyBytes(message, start, optAt >= 0 ? optAt : recordsEnd, bytes, 0);
    if (optAt >= 0) putU16(bytes, 10, u16(message, start + 10) - 1);
    return size;
  }
}
