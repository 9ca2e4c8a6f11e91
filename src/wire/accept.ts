// The first look at a packet: may it be a query that we answer? Only the 12 bytes of the header are read, so
// that nonsense costs nothing, and a reflected answer never makes another one (a response is never answered).

import { copyBytes, putU16, u16, u8 } from './bytes.ts';
import { Flag, Rcode } from './codes.ts';

export const HEADER_BYTES = 12;

/** What `accept` returns for a packet worth reading; other results below are Rcodes. */
export const accepted = 0;
/** Not to be answered at all. */
export const ignored = -1;

/** OPT and one signature (TSIG or SIG(0)) are all that a query may carry behind its question. */
const MAX_ADDITIONAL_RECORDS = 2;

export function accept(bytes: Uint8Array, start: number, length: number): number {
  if (length < HEADER_BYTES) return ignored;
  const flags = u8(bytes, start + 2);
  if ((flags & 0x80) !== 0) return ignored;
  if ((flags & 0x78) !== 0) return Rcode.notImp;
  // RFC 9619: a query has one question. Answers and authority have no place in it.
  if (u16(bytes, start + 4) !== 1) return Rcode.formErr;
  if ((u16(bytes, start + 6) | u16(bytes, start + 8)) !== 0) return Rcode.formErr;
  return u16(bytes, start + 10) > MAX_ADDITIONAL_RECORDS ? Rcode.formErr : accepted;
}

/**
 * The answer to a query that cannot be read: its id, opcode and RD with an rcode, and no question. Returns
 * its length. The packet must have a whole header, which is what `accept` saw to.
 */
export function writeHeaderError(
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  start: number,
  rcode: number,
): number {
  copyBytes(bytes, start, start + 2, out, at);
  const kept = u16(bytes, start + 2) & (0x7800 | Flag.rd);
  putU16(out, at + 2, Flag.qr | kept | (rcode & 0xf));
  out.fill(0, at + 4, at + HEADER_BYTES);
  return HEADER_BYTES;
}
