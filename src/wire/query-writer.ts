// Writes queries to upstreams: a header, one question, and an OPT record with the accepted size. The name is
// written in the given case, so that the caller can choose it (the "0x20" check).

import { HEADER_BYTES } from './accept.ts';
import { copyBytes, putU16 } from './bytes.ts';
import { Flag, Type } from './codes.ts';
import { nameLengthOf } from './names.ts';

export const OPT_BYTES = 11;

/** Returns the length, or 0 when the name is invalid or there is no room. `udpBytes` 0: without EDNS. */
export function writeQuery(
  out: Uint8Array,
  at: number,
  id: number,
  flags: number,
  name: Uint8Array,
  type: number,
  qclass: number,
  udpBytes: number,
  dnssecOk: boolean,
): number {
  const nameLength = nameLengthOf(name);
  const length = HEADER_BYTES + nameLength + 4 + (udpBytes === 0 ? 0 : OPT_BYTES);
  if (nameLength === 0 || at + length > out.length) return 0;
  putU16(out, at, id);
  putU16(out, at + 2, (flags | Flag.rd) & ~Flag.qr);
  putU16(out, at + 4, 1);
  putU16(out, at + 6, 0);
  putU16(out, at + 8, 0);
  putU16(out, at + 10, udpBytes === 0 ? 0 : 1);
  const typeAt = copyBytes(name, 0, nameLength, out, at + HEADER_BYTES);
  putU16(out, typeAt, type);
  putU16(out, typeAt + 2, qclass);
  if (udpBytes > 0) writeOptHead(out, typeAt + 4, udpBytes, dnssecOk, 0, 0);
  return length;
}

/**
 * Writes an OPT record (RFC 6891 section 6.1.2) up to its options, which take `optionBytes`. Returns its end.
 */
export function writeOptHead(
  out: Uint8Array,
  at: number,
  udpBytes: number,
  dnssecOk: boolean,
  extendedRcode: number,
  optionBytes: number,
): number {
  out[at] = 0;
  putU16(out, at + 1, Type.OPT);
  putU16(out, at + 3, udpBytes);
  out[at + 5] = extendedRcode;
  out[at + 6] = 0;
  putU16(out, at + 7, dnssecOk ? 0x8000 : 0);
  putU16(out, at + 9, optionBytes);
  return at + OPT_BYTES;
}
