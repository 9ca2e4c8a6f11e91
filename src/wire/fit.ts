// Cuts an answer that is longer than the client takes. What is left is the header with TC set, the question
// and the OPT record: a client must not use the rest of a truncated answer anyway, and asks again by TCP
// (RFC 2181 section 9, RFC 7766), so records are not counted out one by one.

import { HEADER_BYTES } from './accept.ts';
import { copyBytes, putU16, u8 } from './bytes.ts';
import { Section, Type } from './codes.ts';
import { RecordCursor } from './record-cursor.ts';

const cursor = new RecordCursor();
const TC_IN_FIRST_BYTE = 0x02;

/** Returns the length that is left of the `length` bytes at `at`. */
export function fit(out: Uint8Array, at: number, length: number, limitBytes: number): number {
  if (length <= limitBytes || length < HEADER_BYTES) return length;
  const isReadable = cursor.start(out, at, length);
  const recordsAt = cursor.recordsAt;
  const hasQuestion = isReadable && recordsAt - at <= limitBytes;
  const hasOpt = hasQuestion && goToOpt() && recordsAt - at + cursor.recordEnd - cursor.nameAt <= limitBytes;
  out[at + 2] = u8(out, at + 2) | TC_IN_FIRST_BYTE;
  if (!hasQuestion) putU16(out, at + 4, 0);
  putU16(out, at + 6, 0);
  putU16(out, at + 8, 0);
  putU16(out, at + 10, hasOpt ? 1 : 0);
  if (!hasQuestion) return HEADER_BYTES;
  if (!hasOpt) return recordsAt - at;
  // OPT holds no pointers, and it moves to the front: the copy may overlap, and still be right.
  return copyBytes(out, cursor.nameAt, cursor.recordEnd, out, recordsAt) - at;
}

function goToOpt(): boolean {
  while (cursor.next()) {
    if (cursor.type === Type.OPT && cursor.section === Section.additional) return true;
  }
  return false;
}
