// Checks that a message from outside is sound: every record lies inside it, every name can be read to its
// end, and data of a known form has that form. Done once for a reply, before any part of it is stored or
// forwarded: later code copies bytes without further checks.

import { u8, u16 } from './bytes.ts';
import { HEADER_BYTES } from './accept.ts';
import { Class, Section, Type } from './codes.ts';
import { firstNameAt, namesInData } from './data-names.ts';
import { extendedErrorIn, rcodeOf } from './message.ts';
import { MAX_LABEL_BYTES, MAX_NAME_BYTES, MAX_POINTERS, POINTER, skipName } from './names.ts';
import { RecordCursor } from './record-cursor.ts';

/** Positions that a pointer of 14 bits can address. */
const POINTER_TARGETS = 0x4000;

export class MessageCheck {
  /**
   * A pointer leads to a position without a label of an earlier name, or is at a position where none may be
   * (RFC 3597 section 4). The names can be read, but the message must be rewritten before it is stored: the
   * bytes at such a target may be a TTL, which changes while an answer is served.
   */
  hasOddPointers = false;
  /** The end of the question, and the end of the last record. */
  recordsAt = 0;
  recordsEnd = 0;
  /** Where the OPT record begins and ends; -1 when there is none. */
  optAt = -1;
  optEnd = -1;
  /** Includes the bits in OPT (RFC 6891 section 6.1.3). */
  rcode = 0;
  /** The info code of the first Extended DNS Error (RFC 8914); -1: none. */
  extendedError = -1;
  readonly #cursor = new RecordCursor();
  /**
   * By offset in the message: the last round in which a label began there, so that nothing has to be cleared.
   */
  readonly #labelsAt = new Uint32Array(POINTER_TARGETS);
  #round = 0;

  /** Exactly one question is expected. */
  isSound(bytes: Uint8Array, start: number, length: number): boolean {
    const cursor = this.#cursor;
    this.hasOddPointers = false;
    this.optAt = -1;
    this.extendedError = -1;
    this.#round = (this.#round + 1) >>> 0;
    if (!cursor.start(bytes, start, length) || u16(bytes, start + 4) !== 1) return false;
    this.recordsAt = cursor.recordsAt;
    this.recordsEnd = cursor.recordsAt;
    this.rcode = rcodeOf(bytes, start);
    if (this.#nameEnd(start + HEADER_BYTES, cursor.recordsAt, true) !== cursor.recordsAt - 4) return false;
    while (cursor.next()) {
      if (this.#nameEnd(cursor.nameAt, cursor.ttlAt, true) === -1 || !this.#isDataSound()) return false;
      this.recordsEnd = cursor.recordEnd;
    }
    return !cursor.malformed;
  }

  #isDataSound(): boolean {
    const { type, dataLength } = this.#cursor;
    if (type === Type.OPT) return this.#isOptPlaced();
    if (this.#cursor.class !== Class.IN) return true;
    if (type === Type.A) return dataLength === 4;
    if (type === Type.AAAA) return dataLength === 16;
    return this.#areNamesSound();
  }

  /** RFC 6891 section 6.1.1: at most one OPT, in the additional section, and its name is the root. */
  #isOptPlaced(): boolean {
    const { bytes, nameAt, section, ttlAt, dataAt, recordEnd } = this.#cursor;
    if (this.optAt !== -1 || section !== Section.additional || u8(bytes, nameAt) !== 0) return false;
    this.optAt = nameAt;
    this.optEnd = recordEnd;
    this.rcode |= u8(bytes, ttlAt) << 4;
    this.extendedError = extendedErrorIn(bytes, dataAt, recordEnd);
    return true;
  }

  #areNamesSound(): boolean {
    const { bytes, type, dataAt, dataLength } = this.#cursor;
    const layout = namesInData(type);
    if (layout.names === 0) return true;
    const end = dataAt + dataLength;
    let next = firstNameAt(bytes, dataAt, end, layout);
    for (let left = layout.names; left > 0 && next !== -1; left -= 1) {
      next = this.#nameEnd(next, end, layout.mayCompress);
    }
    return next !== -1 && (layout.restBytes === -1 || end - next === layout.restBytes);
  }

  /** Where the name at `at` ends, or -1. Records its labels and follows its pointer. */
  #nameEnd(at: number, end: number, mayCompress: boolean): number {
    const { bytes, messageStart } = this.#cursor;
    const nameEnd = skipName(bytes, at, end);
    let next = at;
    for (let length = u8(bytes, next); next < nameEnd; length = u8(bytes, next)) {
      if (length >= POINTER) {
        this.hasOddPointers ||= !mayCompress;
        return this.#leadsOn(at, next) ? nameEnd : -1;
      }
      const offset = next - messageStart;
      if (offset < POINTER_TARGETS) this.#labelsAt[offset] = this.#round;
      next += length + 1;
    }
    return nameEnd;
  }

  /** Follows the pointer at `pointerAt` of the name at `nameAt`, as `readName` does. */
  #leadsOn(nameAt: number, pointerAt: number): boolean {
    const { bytes, messageStart, messageEnd } = this.#cursor;
    let size = pointerAt - nameAt;
    let from = nameAt;
    let next = pointerAt;
    for (let pointers = 0; next < messageEnd && size < MAX_NAME_BYTES;) {
      const length = u8(bytes, next);
      if (length >= POINTER) {
        const target = u16(bytes, next) & (POINTER_TARGETS - 1);
        pointers += 1;
        if (pointers > MAX_POINTERS || target < HEADER_BYTES || messageStart + target >= from) return false;
        if (this.#labelsAt[target] !== this.#round) this.hasOddPointers = true;
        from = messageStart + target;
        next = from;
        continue;
      }
      if (length > MAX_LABEL_BYTES) return false;
      size += length + 1;
      next += length + 1;
      if (length === 0) return size <= MAX_NAME_BYTES;
    }
    return false;
  }
}
