// Copies a message without its OPT record, which is valid for one hop only (RFC 6891 section 6.2.2) and so
// must not be cached. Usually OPT is last and is cut off. Records after it move to the front, and pointers
// among them that lead past the OPT record are corrected.

import { copyBytes, putU16, u16, u8 } from './bytes.ts';
import { Section, Type } from './codes.ts';
import { firstNameAt, namesInData } from './data-names.ts';
import { skipName } from './names.ts';
import { RecordCursor } from './record-cursor.ts';

const cursor = new RecordCursor();
/** The result of `look`: where OPT begins and ends (-1: none), and where the last record ends. */
const found = { opt: -1, optEnd: -1, end: 0 };

/** Copies to `out` at `at`, which has room for the whole message. Returns the length, -1 when malformed. */
export function copyWithoutOpt(
  bytes: Uint8Array,
  start: number,
  length: number,
  out: Uint8Array,
  at: number,
): number {
  if (at + length > out.length || !look(bytes, start, length)) return -1;
  const { opt, optEnd, end } = found;
  if (opt === -1) return copyBytes(bytes, start, end, out, at) - at;
  const optAt = copyBytes(bytes, start, opt, out, at);
  const outEnd = copyBytes(bytes, optEnd, end, out, optAt);
  putU16(out, at + 10, u16(bytes, start + 10) - 1);
  const isRight = optEnd === end || shiftPointers(out, at, outEnd - at, optAt, optEnd - opt);
  return isRight ? outEnd - at : -1;
}

/** False when malformed; RFC 6891 section 6.1.1: at most one OPT, in the additional section. */
function look(bytes: Uint8Array, start: number, length: number): boolean {
  if (!cursor.start(bytes, start, length)) return false;
  found.opt = -1;
  found.end = cursor.recordsAt;
  while (cursor.next()) {
    found.end = cursor.recordEnd;
    if (cursor.type !== Type.OPT) continue;
    if (found.opt !== -1 || cursor.section !== Section.additional) return false;
    found.opt = cursor.nameAt;
    found.optEnd = cursor.recordEnd;
  }
  return !cursor.malformed;
}

/** Corrects the pointers in all records from `from` on, before which `removed` bytes were removed. */
function shiftPointers(
  out: Uint8Array,
  start: number,
  length: number,
  from: number,
  removed: number,
): boolean {
  const offset = from - start;
  cursor.start(out, start, length);
  while (cursor.next()) {
    if (cursor.nameAt < from) continue;
    if (shiftPointer(out, cursor.nameAt, cursor.ttlAt, offset, removed) === -1) return false;
    const layout = namesInData(cursor.type);
    const end = cursor.dataAt + cursor.dataLength;
    if (layout.names === 0) continue;
    let next = firstNameAt(out, cursor.dataAt, end, layout);
    for (let left = layout.names; left > 0 && next !== -1; left -= 1) {
      next = shiftPointer(out, next, end, offset, removed);
    }
    if (next === -1) return false;
  }
  return !cursor.malformed;
}

/** Where the name ends; -1 when it is malformed or points into the removed bytes. */
function shiftPointer(out: Uint8Array, at: number, end: number, offset: number, removed: number): number {
  const next = skipName(out, at, end);
  if (next === -1) return -1;
  const pointerAt = pointerOf(out, at);
  if (pointerAt === -1) return next;
  const target = u16(out, pointerAt) & 0x3fff;
  if (target < offset) return next;
  if (target < offset + removed) return -1;
  putU16(out, pointerAt, 0xc000 | (target - removed));
  return next;
}

/** The position of the name's pointer, or -1 when it has none. The name must be well formed. */
function pointerOf(out: Uint8Array, at: number): number {
  let next = at;
  for (let length = u8(out, next); length !== 0; length = u8(out, next)) {
    if (length > 63) return next;
    next += length + 1;
  }
  return -1;
}
