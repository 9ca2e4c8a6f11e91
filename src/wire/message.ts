// Reads properties of a whole message, mostly of an upstream's answer: its header, the offsets of its TTLs,
// its OPT record. Each function walks the message again; code that stores an answer calls them once per
// answer from outside, never for one that is served from the cache.

import { u16, u8 } from './bytes.ts';
import { EdnsOption, Section, Type } from './codes.ts';
import { RecordCursor } from './record-cursor.ts';

/** Messages are walked one at a time: no function here calls other code while it walks. */
const cursor = new RecordCursor();

/** What two bytes of length can say (RFC 1035 section 4.2.2). */
export const MAX_MESSAGE_BYTES = 65_535;

export function messageFlags(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 2);
}

/** The header's four bits; `fullRcodeOf` includes the others. */
export function rcodeOf(bytes: Uint8Array, start: number): number {
  return u8(bytes, start + 3) & 0xf;
}

export function additionalCount(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 10);
}

/**
 * Writes the offset of every TTL (from the message's start; OPT has none) to `out`. Returns how many there
 * are, or -1 when the message is malformed or there are too many.
 */
export function ttlOffsets(bytes: Uint8Array, start: number, length: number, out: Uint16Array): number {
  let count = 0;
  cursor.start(bytes, start, length);
  while (cursor.next()) {
    if (cursor.type === Type.OPT) continue;
    if (count === out.length) return -1;
    out[count] = cursor.ttlAt - start;
    count += 1;
  }
  return cursor.malformed ? -1 : count;
}

/** The whole rcode, including the bits in OPT (RFC 6891 section 6.1.3). */
export function fullRcodeOf(bytes: Uint8Array, start: number, length: number): number {
  const low = rcodeOf(bytes, start);
  return findOpt(bytes, start, length) ? (u8(bytes, cursor.ttlAt) << 4) | low : low;
}

/** The info code of the first Extended DNS Error (RFC 8914), or -1. */
export function extendedError(bytes: Uint8Array, start: number, length: number): number {
  if (!findOpt(bytes, start, length)) return -1;
  return extendedErrorIn(bytes, cursor.dataAt, cursor.dataAt + cursor.dataLength);
}

/** The same, from the options of an OPT record. */
export function extendedErrorIn(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at + 4 <= end; at += 4 + u16(bytes, at + 2)) {
    const size = u16(bytes, at + 2);
    const isWhole = size >= 2 && at + 4 + size <= end;
    if (u16(bytes, at) === EdnsOption.extendedError && isWhole) return u16(bytes, at + 4);
  }
  return -1;
}

/** Leaves the cursor on the OPT record. Records after it are not checked. */
function findOpt(bytes: Uint8Array, start: number, length: number): boolean {
  cursor.start(bytes, start, length);
  while (cursor.next()) {
    if (cursor.type === Type.OPT && cursor.section === Section.additional) return true;
  }
  return false;
}
