// The positions of names in the data of records. In the types of RFC 1035 they may be compressed, and in the
// older ones that RFC 3597 section 4 lists they may arrive compressed. In newer types (RRSIG, NSEC, SVCB)
// they must not be; they are listed here too, because a hostile reply may still have pointers there.

import { copyBytes, u8 } from './bytes.ts';
import { Type } from './codes.ts';
import { NAME_BUFFER_BYTES, readNameAsWritten, skipName } from './names.ts';

/** Bytes, then character strings, then names, then the rest. */
export interface Layout {
  readonly prefixBytes: number;
  readonly strings: number;
  readonly names: number;
  /** How many bytes follow the names; -1: any number. */
  readonly restBytes: number;
  readonly mayCompress: boolean;
}

function layout(prefixBytes: number, names: number, rest: Partial<Layout> = {}): Layout {
  return { prefixBytes, names, strings: 0, restBytes: 0, mayCompress: true, ...rest };
}

const none = layout(0, 0, { restBytes: -1 });
const one = layout(0, 1);
const two = layout(0, 2);
const preferred = layout(2, 1);
const uncompressed = { restBytes: -1, mayCompress: false };

const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [Type.NS, one],
  [Type.CNAME, one],
  [Type.SOA, layout(0, 2, { restBytes: 20 })],
  [Type.MB, one],
  [Type.MG, one],
  [Type.MR, one],
  [Type.PTR, one],
  [Type.MINFO, two],
  [Type.MX, preferred],
  [Type.RP, two],
  [Type.AFSDB, preferred],
  [Type.RT, preferred],
  [Type.SIG, layout(18, 1, { restBytes: -1 })],
  [Type.PX, layout(2, 2)],
  [Type.NXT, layout(0, 1, { restBytes: -1 })],
  [Type.SRV, layout(6, 1)],
  [Type.NAPTR, layout(4, 1, { strings: 3 })],
  [Type.KX, preferred],
  [Type.DNAME, one],
  [Type.RRSIG, layout(18, 1, uncompressed)],
  [Type.NSEC, layout(0, 1, uncompressed)],
  [Type.SVCB, layout(2, 1, uncompressed)],
  [Type.HTTPS, layout(2, 1, uncompressed)],
]);

export function namesInData(type: number): Layout {
  return LAYOUTS.get(type) ?? none;
}

/** Where the first name begins in the data from `at` to `end`; -1 when the data ends before. */
export function firstNameAt(bytes: Uint8Array, at: number, end: number, of: Layout): number {
  let next = at + of.prefixBytes;
  for (let left = of.strings; left > 0; left -= 1) {
    if (next >= end) return -1;
    next += 1 + u8(bytes, next);
  }
  return next <= end ? next : -1;
}

const name = new Uint8Array(NAME_BUFFER_BYTES);

/**
 * Copies the data of a record to `out` at `to`, with its names in full, so that it is valid in any message.
 * Returns where the copy ends; -1 when the data is malformed or there is no room.
 */
export function copyDataInFull(
  bytes: Uint8Array,
  messageStart: number,
  messageEnd: number,
  type: number,
  dataAt: number,
  dataLength: number,
  out: Uint8Array,
  to: number,
): number {
  const of = namesInData(type);
  const end = dataAt + dataLength;
  let from = of.names === 0 ? dataAt : firstNameAt(bytes, dataAt, end, of);
  if (from === -1 || to + dataLength > out.length) return -1;
  let next = copyBytes(bytes, dataAt, from, out, to);
  for (let left = of.names; left > 0; left -= 1) {
    const size = readNameAsWritten(bytes, messageStart, from, messageEnd, name);
    from = skipName(bytes, from, end);
    if (size === -1 || from === -1 || next + size + end - from > out.length) return -1;
    next = copyBytes(name, 0, size, out, next);
  }
  return copyBytes(bytes, from, end, out, next);
}
