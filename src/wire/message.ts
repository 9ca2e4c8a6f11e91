// What one asks of a whole message, mostly of an upstream's answer: its header, its question, its TTLs, its
// OPT record. Each function walks the message anew; those that store an answer call them once per answer that
// came from outside, never for one that is served again.

import { HEADER_BYTES } from './accept.ts';
import { u16, u32, u8 } from './bytes.ts';
import { EdnsOption, Section, Type } from './codes.ts';
import { LOWER } from './names.ts';
import { RecordCursor } from './record-cursor.ts';

/** Messages are walked one at a time and never by two at once: no function here calls out while it walks. */
const cursor = new RecordCursor();

export function messageId(bytes: Uint8Array, start: number): number {
  return u16(bytes, start);
}

export function messageFlags(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 2);
}

/** The header's four bits; `fullRcodeOf` knows the rest. */
export function rcodeOf(bytes: Uint8Array, start: number): number {
  return u8(bytes, start + 3) & 0xf;
}

export function questionCount(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 4);
}

export function answerCount(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 6);
}

export function authorityCount(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 8);
}

export function additionalCount(bytes: Uint8Array, start: number): number {
  return u16(bytes, start + 10);
}

/**
 * Does the message carry exactly this one question, letter case included? The question is `questionLength`
 * bytes at `questionAt`: an uncompressed name, type and class.
 */
export function sameQuestion(
  message: Uint8Array,
  start: number,
  length: number,
  question: Uint8Array,
  questionAt: number,
  questionLength: number,
): boolean {
  if (length < HEADER_BYTES + questionLength || questionCount(message, start) !== 1) return false;
  const from = start + HEADER_BYTES;
  for (let index = 0; index < questionLength; index += 1) {
    if (message[from + index] !== question[questionAt + index]) return false;
  }
  return true;
}

/** The same, for whom the case of letters in the name means nothing. */
export function sameQuestionAnyCase(
  message: Uint8Array,
  start: number,
  length: number,
  question: Uint8Array,
  questionAt: number,
  questionLength: number,
): boolean {
  if (length < HEADER_BYTES + questionLength || questionCount(message, start) !== 1) return false;
  const from = start + HEADER_BYTES;
  // Type and class are numbers: 65 (HTTPS) is not 97 in another case.
  const typeIndex = questionLength - 4;
  for (let index = 0; index < typeIndex; index += 1) {
    if (LOWER[u8(message, from + index)] !== LOWER[u8(question, questionAt + index)]) return false;
  }
  return u32(message, from + typeIndex) === u32(question, questionAt + typeIndex);
}

/** Where the question ends (absolute), or -1. */
export function questionEndOf(bytes: Uint8Array, start: number, length: number): number {
  return cursor.start(bytes, start, length) ? cursor.recordsAt : -1;
}

/**
 * Puts the offset of every TTL (from the message's start; not that of OPT, which has none) into `out`.
 * Returns how many there are, or -1 when the message is malformed or they are too many.
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

/** The lowest TTL of all records but OPT; -1 without records and for a malformed message. */
export function lowestTtl(bytes: Uint8Array, start: number, length: number): number {
  let lowest = -1;
  cursor.start(bytes, start, length);
  while (cursor.next()) {
    if (cursor.type === Type.OPT) continue;
    if (lowest === -1 || cursor.ttlSeconds < lowest) lowest = cursor.ttlSeconds;
  }
  return cursor.malformed ? -1 : lowest;
}

/** RFC 2308 section 5: the lesser of the authority SOA's TTL and its last field; -1 without such a record. */
export function negativeTtl(bytes: Uint8Array, start: number, length: number): number {
  let found = -1;
  cursor.start(bytes, start, length);
  while (cursor.next()) {
    const isSoa = cursor.type === Type.SOA && cursor.section === Section.authority;
    // Two names of a byte or more, then five numbers.
    if (!isSoa || cursor.dataLength < 22 || found !== -1) continue;
    const minimum = u32(bytes, cursor.dataAt + cursor.dataLength - 4);
    found = Math.min(cursor.ttlSeconds, minimum);
  }
  return cursor.malformed ? -1 : found;
}

/** Where the first OPT record begins (absolute), or -1 when there is none or the message is malformed. */
export function optOf(bytes: Uint8Array, start: number, length: number): number {
  return findOpt(bytes, start, length) ? cursor.nameAt : -1;
}

/** The whole rcode, with the bits that OPT carries (RFC 6891 section 6.1.3). */
export function fullRcodeOf(bytes: Uint8Array, start: number, length: number): number {
  const low = rcodeOf(bytes, start);
  return findOpt(bytes, start, length) ? (u8(bytes, cursor.ttlAt) << 4) | low : low;
}

/** The info code of the first Extended DNS Error (RFC 8914), or -1. */
export function extendedError(bytes: Uint8Array, start: number, length: number): number {
  if (!findOpt(bytes, start, length)) return -1;
  const end = cursor.dataAt + cursor.dataLength;
  for (let at = cursor.dataAt; at + 4 <= end; at += 4 + u16(bytes, at + 2)) {
    const size = u16(bytes, at + 2);
    const isWhole = size >= 2 && at + 4 + size <= end;
    if (u16(bytes, at) === EdnsOption.extendedError && isWhole) return u16(bytes, at + 4);
  }
  return -1;
}

/** Leaves the cursor on the OPT record. What stands behind it is not looked at. */
function findOpt(bytes: Uint8Array, start: number, length: number): boolean {
  cursor.start(bytes, start, length);
  while (cursor.next()) {
    if (cursor.type === Type.OPT && cursor.section === Section.additional) return true;
  }
  return false;
}
