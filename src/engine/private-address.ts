// Which addresses no public name should lead to: those of RFC 1918, loopback, link-local, shared (RFC 6598)
// and unique-local addresses, and those of "this host" (0.0.0.0/8 and ::), which reach what runs on the
// client itself. As they stand in a packet, and also inside of IPv6 addresses that stand for IPv4 ones or are
// carried over IPv4.

import { type RecordCursor, SvcParamCursor, SvcParamKey, Type, u16 } from '#wire';

const service = new SvcParamCursor();

/** Whether the record that the cursor stands on gives such an address away. */
export function isPrivateRecord({ bytes, type, dataAt, dataLength }: RecordCursor): boolean {
  if (type === Type.HTTPS || type === Type.SVCB) return hasPrivateHint(bytes, dataAt, dataLength);
  const isAddress = (type === Type.A && dataLength === 4) || (type === Type.AAAA && dataLength === 16);
  return isAddress && isPrivateAddress(bytes, dataAt, dataLength);
}

/**
 * Whether the data of an HTTPS or SVCB record hints at such an address (RFC 9460 section 7.3), or is
 * malformed: nobody knows where a client finds hints in what cannot be read to its end.
 */
export function hasPrivateHint(bytes: Uint8Array, dataAt: number, dataLength: number): boolean {
  if (!service.start(bytes, dataAt, dataLength)) return true;
  while (service.next()) {
    const { key, valueAt, valueLength } = service;
    if (key !== SvcParamKey.ipv4hint && key !== SvcParamKey.ipv6hint) continue;
    const size = key === SvcParamKey.ipv4hint ? 4 : 16;
    if (valueLength % size !== 0) return true;
    for (let at = valueAt; at < valueAt + valueLength; at += size)
      if (isPrivateAddress(bytes, at, size)) return true;
  }
  return service.malformed;
}

/** `length` is 4 or 16. */
export function isPrivateAddress(bytes: Uint8Array, at: number, length: number): boolean {
  if (length === 4) return isPrivateAt(bytes, at);
  const word = u16(bytes, at);
  if (word === 0) return standsForIpv4(bytes, at) && isPrivateAt(bytes, at + 12);
  if (word === 0x2002) return isPrivateAt(bytes, at + 2);
  if (word === 0x2001) return isPrivateTeredo(bytes, at);
  return word === 0x64 ? isPrivateNat64(bytes, at) : isPrivateIpv6(bytes, at);
}

export function isUnspecified(bytes: Uint8Array, at: number, length: number): boolean {
  return isZero(bytes, at, at + length);
}

/** The IPv4 address at `at`. */
function isPrivateAt(bytes: Uint8Array, at: number): boolean {
  return isPrivateIpv4(bytes[at] ?? 0, bytes[at + 1] ?? 0);
}

function isPrivateIpv4(first: number, second: number): boolean {
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 192) return second === 168;
  if (first === 172) return second >= 16 && second < 32;
  if (first === 169) return second === 254;
  return first === 100 && second >= 64 && second < 128;
}

/** fc00::/7 and fe80::/10. */
function isPrivateIpv6(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] ?? 0;
  if ((first & 0xfe) === 0xfc) return true;
  return first === 0xfe && ((bytes[at + 1] ?? 0) & 0xc0) === 0x80;
}

/**
 * ::a.b.c.d, which :: and ::1 belong to, ::ffff:a.b.c.d (RFC 4291 section 2.5.5) and ::ffff:0:a.b.c.d, which
 * is IPv4-translated (RFC 2765 section 2.1).
 */
function standsForIpv4(bytes: Uint8Array, at: number): boolean {
  if (!isZero(bytes, at, at + 8)) return false;
  const word = u16(bytes, at + 8);
  const last = u16(bytes, at + 10);
  return word === 0 ? last === 0 || last === 0xffff : word === 0xffff && last === 0;
}

/** 2001::/32 (RFC 4380 section 4): the server's address, and the client's with all its bits turned over. */
function isPrivateTeredo(bytes: Uint8Array, at: number): boolean {
  if (u16(bytes, at + 2) !== 0) return false;
  const client = u16(bytes, at + 12) ^ 0xffff;
  return isPrivateAt(bytes, at + 4) || isPrivateIpv4(client >> 8, client & 0xff);
}

/** 64:ff9b::/96 (RFC 6052 section 2.1) and, for local use, 64:ff9b:1::/48 (RFC 8215). */
function isPrivateNat64(bytes: Uint8Array, at: number): boolean {
  if (u16(bytes, at + 2) !== 0xff9b) return false;
  if (isZero(bytes, at + 4, at + 12)) return isPrivateAt(bytes, at + 12);
  return u16(bytes, at + 4) === 1 && isPrivateLocalNat64(bytes, at);
}

/**
 * Where the IPv4 address stands hangs on how much of the /48 a network takes for its prefix (RFC 6052 section
 * 2.2): behind 48, 56, 64 or 96 bits, without the ninth byte. Behind it there are zeros.
 */
function isPrivateLocalNat64(bytes: Uint8Array, at: number): boolean {
  const byte = (index: number): number => bytes[at + index] ?? 0;
  const isHere = (first: number, second: number, end: number): boolean =>
    byte(first) !== 0 && isZero(bytes, at + end, at + 16) && isPrivateIpv4(byte(first), byte(second));
  if (isHere(6, 7, 11) || isHere(7, 9, 12) || isHere(9, 10, 13)) return true;
  // What ends with zeros was one of those above, unless it is nothing but zeros.
  const isShort = isZero(bytes, at + 13, at + 16) && !isZero(bytes, at + 6, at + 12);
  return !isShort && isPrivateAt(bytes, at + 12);
}

function isZero(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}
