// Which addresses no public name should lead to: those of RFC 1918, loopback, link-local, shared (RFC 6598)
// and unique-local addresses, and those of "this host" (0.0.0.0/8 and ::), which reach what runs on the
// client itself. As they stand in a packet, and also inside of IPv6 addresses that stand for IPv4 ones.

import { SvcParamCursor, SvcParamKey, u16 } from '#wire';

const service = new SvcParamCursor();

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
  if (length === 4) return isPrivateIpv4(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  return standsForIpv4(bytes, at)
    ? isPrivateIpv4(bytes[at + 12] ?? 0, bytes[at + 13] ?? 0)
    : isPrivateIpv6(bytes, at);
}

export function isUnspecified(bytes: Uint8Array, at: number, length: number): boolean {
  return isZero(bytes, at, at + length);
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
 * ::a.b.c.d, which :: and ::1 belong to, ::ffff:a.b.c.d (RFC 4291 section 2.5.5) and 64:ff9b::a.b.c.d
 * (RFC 6052 section 2.1).
 */
function standsForIpv4(bytes: Uint8Array, at: number): boolean {
  const last = u16(bytes, at + 10);
  if (isZero(bytes, at, at + 10)) return last === 0 || last === 0xffff;
  const isNat64 = bytes[at + 1] === 0x64 && bytes[at + 2] === 0xff && bytes[at + 3] === 0x9b;
  return isNat64 && bytes[at] === 0 && isZero(bytes, at + 4, at + 12);
}

function isZero(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}
