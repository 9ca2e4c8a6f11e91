// Names as wire bytes: labels with their lengths in front and the empty root label at the end. Two names are
// the same when their lower-cased bytes are (RFC 1035 section 2.3.3, RFC 4343: ASCII only), so these bytes
// are the key everywhere; a length byte is at most 63 and therefore never confused with a letter.

import { u8 } from './bytes.ts';

export const MAX_NAME_BYTES = 255;
/** Two bytes are not in the text: the first length and the root label. */
export const MAX_NAME_CHARACTERS = MAX_NAME_BYTES - 2;
export const MAX_LABEL_BYTES = 63;
/** The size of buffers for names of a packet. */
export const NAME_BUFFER_BYTES = 256;

const HEADER_BYTES = 12;
/** A length byte from this value on is the first half of a pointer. */
export const POINTER = 0xc0;
/** A name has at most 127 labels; more pointers would only cost time. */
export const MAX_POINTERS = 127;

/** Lower case of every byte. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);
const AS_WRITTEN = Uint8Array.from({ length: 256 }, (_, byte) => byte);

export function lowerCase(byte: number): number {
  return LOWER[byte] ?? byte;
}

/**
 * Lower-cases four bytes. After each of two additions without carry, the highest bit of a byte says whether
 * it is at least `A` and whether it is above `Z`; shifted by two it is the bit of the case.
 */
export function lowerWord(word: number): number {
  const low = word & 0x7f7f7f7f;
  const isLetter = (low + 0x3f3f3f3f) ^ (low + 0x25252525);
  return word | ((isLetter & ~word & 0x80808080) >>> 2);
}

/** Where the name at `at` ends (after its root label or its pointer), or -1. Pointers are not followed. */
export function skipName(bytes: Uint8Array, at: number, end: number): number {
  const last = at + MAX_NAME_BYTES;
  let next = at;
  while (next < end && next < last) {
    const length = u8(bytes, next);
    if (length === 0) return next + 1;
    if (length >= POINTER) return next + 2 <= end ? next + 2 : -1;
    if (length > MAX_LABEL_BYTES) return -1;
    next += length + 1;
  }
  return -1;
}

/** Reads a name in full and in lower case into `out` (256 bytes). Returns its length with the root, or -1. */
export function readName(
  bytes: Uint8Array,
  messageStart: number,
  at: number,
  end: number,
  out: Uint8Array,
): number {
  return decompress(bytes, messageStart, at, end, out, LOWER);
}

/** The same, with the original case. */
export function readNameAsWritten(
  bytes: Uint8Array,
  messageStart: number,
  at: number,
  end: number,
  out: Uint8Array,
): number {
  return decompress(bytes, messageStart, at, end, out, AS_WRITTEN);
}

/**
 * A pointer must lead to a position before the labels that it ends (RFC 1035 section 4.1.4: "a prior
 * occurrence"), so each one leads further to the front: no loop is possible.
 */
function decompress(
  bytes: Uint8Array,
  messageStart: number,
  at: number,
  end: number,
  out: Uint8Array,
  letters: Uint8Array,
): number {
  let from = at;
  let next = at;
  let size = 0;
  let pointers = 0;
  while (next < end) {
    const length = u8(bytes, next);
    if (length >= POINTER) {
      pointers += 1;
      next = pointerTarget(bytes, messageStart, next, end, from, pointers);
      if (next === -1) return -1;
      from = next;
      continue;
    }
    const stop = next + length + 1;
    if (length > MAX_LABEL_BYTES || stop > end || size + length + 1 > MAX_NAME_BYTES) return -1;
    for (; next < stop; next += 1) out[size++] = letters[u8(bytes, next)] ?? 0;
    if (length === 0) return size;
  }
  return -1;
}

function pointerTarget(
  bytes: Uint8Array,
  messageStart: number,
  at: number,
  end: number,
  below: number,
  pointers: number,
): number {
  if (at + 2 > end || pointers > MAX_POINTERS) return -1;
  const offset = ((u8(bytes, at) & 0x3f) << 8) | u8(bytes, at + 1);
  const target = messageStart + offset;
  return offset < HEADER_BYTES || target >= below ? -1 : target;
}

/** The length of an uncompressed name with its root label; 0 when the array ends before it does. */
export function nameLengthOf(name: Uint8Array): number {
  let at = 0;
  while (at < name.length && at < MAX_NAME_BYTES) {
    const length = u8(name, at);
    if (length === 0) return at + 1;
    if (length > MAX_LABEL_BYTES) return 0;
    at += length + 1;
  }
  return 0;
}

/** Case matters: both must be lower-cased. */
export function namesEqual(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): boolean {
  if (aLength !== bLength) return false;
  for (let at = 0; at < aLength; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** Whether the name is `suffix` itself or below it. Compared label by label: `ab.c` is not below `b.c`. */
export function isBelowOrSame(name: Uint8Array, nameLength: number, suffix: Uint8Array): boolean {
  const suffixLength = nameLengthOf(suffix);
  const from = nameLength - suffixLength;
  if (suffixLength === 0 || from < 0) return false;
  let at = 0;
  while (at < from) at += u8(name, at) + 1;
  if (at !== from) return false;
  for (let index = 0; index < suffixLength; index += 1) {
    if (name[from + index] !== suffix[index]) return false;
  }
  return true;
}
