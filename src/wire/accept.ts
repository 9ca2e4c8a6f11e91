// The first check of a packet: may it be a query that is answered? Only the 12 bytes of the header are read,
// so that nonsense costs nothing. A response is never answered, so a reflected answer never causes another
// one.

import { copyBytes, putU16, u16, u8 } from './bytes.ts';
import { Flag, Rcode } from './codes.ts';

export const HEADER_BYTES = 12;

/** What `accept` returns for a packet worth reading; other results below are Rcodes. */
export const accepted = 0;
/** The packet must not be answered. */
export const ignored = -1;

/** OPT and one signature (TSIG or SIG(0)) are all that a query may have after its question. */
const MAX_ADDITIONAL_RECORDS = 2;

export function accept(bytes: Uint8Array, start: number, length: number): number {
  if (length < HEADER_BYTES) return ignored;
  const flags = u8(bytes, start + 2);
  if ((flags & 0x80) !== 0) return ignored;
  if ((flags & 0x78) !== 0) return Rcode.notImp;
  // RFC 9619: a query has one question, and no records in the answer and authority sections.
  if (u16(bytes, start + 4) !== 1) return Rcode.formErr;
  if ((u16(bytes, start + 6) | u16(bytes, start + 8)) !== 0) return Rcode.formErr;
  return u16(bytes, start + 10) > MAX_ADDITIONAL_RECORDS ? Rcode.formErr : accepted;
}

/**
 * The answer to a query that cannot be parsed: its id, opcode and RD with an rcode, and no question. Returns
 * its length. The packet must have a complete header, which `accept` has checked.
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
