// The one place where a reply of an upstream becomes something to rely on: a sound message without OPT, of
// which every record belongs to its question and every pointer leads to a name. Paid once for each reply, and
// mostly a copy: only a reply with foreign records or odd pointers is written anew.

import { copyBytes, copyKept, copyWithoutOpt, MessageCheck, putU16, u16 } from '#wire';
import { Belonging } from './belonging.ts';

const largestMessage = 65_535;
const headerAndTypeBytes = 16;
const headerRcodeMax = 15;
const malformed = -1;

export class CleanReply {
  /** The message that was cleaned last, from its first byte on. */
  readonly bytes = new Uint8Array(largestMessage);
  /** The Extended DNS Error that it came with; -1: none. */
  extendedError = -1;
  /** How many records of it were dropped because they did not belong to the question. */
  foreign = 0;
  readonly #check = new MessageCheck();
  readonly #belonging = new Belonging();

  /** Returns the length; -1 when the message is malformed. `name`: that of the question, in lower case. */
  clean(message: Uint8Array, start: number, length: number, name: Uint8Array): number {
    const check = this.#check;
    this.foreign = 0;
    if (!check.isSound(message, start, length)) return malformed;
    if (check.recordsAt - start !== headerAndTypeBytes + name.length) return malformed;
    // Codes beyond the header's four bits are about the hop to the upstream (BADVERS, BADCOOKIE).
    if (check.rcode > headerRcodeMax) return malformed;
    this.extendedError = check.extendedError;
    const belonging = this.#belonging;
    belonging.sort(message, start, length, name);
    this.foreign = belonging.foreign;
    if (belonging.isAllForeign) return malformed;
    if (belonging.foreign > 0 || check.hasOddPointers)
      return copyKept(message, start, length, belonging.keep, this.bytes);
    if (check.optAt >= 0 && check.optEnd !== check.recordsEnd)
      return copyWithoutOpt(message, start, length, this.bytes, 0);
    return this.#copy(message, start);
  }

  /** Without OPT, which is the last record if there is one. */
  #copy(message: Uint8Array, start: number): number {
    const { optAt, recordsEnd } = this.#check;
    const size = copyBytes(message, start, optAt >= 0 ? optAt : recordsEnd, this.bytes, 0);
    if (optAt >= 0) putU16(this.bytes, 10, u16(message, start + 10) - 1);
    return size;
  }
}

/** A reply to a question of our own, cleaned; undefined when it is malformed. Not for the way of a query. */
export function cleaned(
  message: Uint8Array,
  start: number,
  length: number,
  name: Uint8Array,
): Uint8Array | undefined {
  const reply = new CleanReply();
  const size = reply.clean(message, start, length, name);
  return size < 0 ? undefined : reply.bytes.slice(0, size);
}
