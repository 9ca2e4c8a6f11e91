// Copies a message with only some of its records: names may point into records that are removed, or to
// positions without a name, so owners are compressed again and names in data are written in full. The message
// must be sound (see message-check.ts).

import { copyBytes, putU16 } from './bytes.ts';
import { copyDataInFull } from './data-names.ts';
import { NameCompressor } from './name-compressor.ts';
import { NAME_BUFFER_BYTES, readNameAsWritten } from './names.ts';
import { RecordCursor } from './record-cursor.ts';

/** Type, class and TTL, which are copied unchanged. */
const COPIED_BYTES = 8;
const FIXED_BYTES = 10;

const cursor = new RecordCursor();
const names = new NameCompressor();
const owner = new Uint8Array(NAME_BUFFER_BYTES);
const counts = new Uint16Array(3);

/**
 * Copies to the start of `out` the records for which `keep` has a 1, by their index in the message. Returns
 * the length; -1 when it does not fit.
 */
export function copyKept(
  bytes: Uint8Array,
  start: number,
  length: number,
  keep: Uint8Array,
  out: Uint8Array,
): number {
  if (!cursor.start(bytes, start, length) || cursor.recordsAt - start > out.length) return -1;
  counts.fill(0);
  names.begin(out, 0);
  let at = copyBytes(bytes, start, cursor.recordsAt, out, 0);
  for (let index = 0; cursor.next(); index += 1) {
    if (keep[index] !== 1) continue;
    at = copyRecord(at, out);
    if (at === -1) return -1;
    counts[cursor.section] = countOf(cursor.section) + 1;
  }
  for (let section = 0; section < 3; section += 1) putU16(out, 6 + 2 * section, countOf(section));
  return cursor.malformed ? -1 : at;
}

/** Writes the current record of the cursor. Returns where it ends, -1 when it does not fit. */
function copyRecord(at: number, out: Uint8Array): number {
  const { bytes, messageStart, messageEnd, nameAt, ttlAt, type, dataAt, dataLength } = cursor;
  if (readNameAsWritten(bytes, messageStart, nameAt, messageEnd, owner) === -1) return -1;
  const fixedAt = names.write(owner, at, out.length);
  if (fixedAt === -1 || fixedAt + FIXED_BYTES > out.length) return -1;
  copyBytes(bytes, ttlAt - 4, ttlAt - 4 + COPIED_BYTES, out, fixedAt);
  const to = fixedAt + FIXED_BYTES;
  const end = copyDataInFull(bytes, messageStart, messageEnd, type, dataAt, dataLength, out, to);
  if (end === -1) return -1;
  putU16(out, fixedAt + COPIED_BYTES, end - to);
  return end;
}

function countOf(section: number): number {
  return counts[section] ?? 0;
}
