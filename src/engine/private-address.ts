// Which addresses belong to a network of one's own and not to the Internet: those of RFC 1918, loopback,
// link-local, shared (RFC 6598) and unique-local addresses, as they stand in a packet. The unspecified
// address is not among them: as an answer it means "blocked".

import { SvcParamCursor, SvcParamKey } from '#wire';

const service = new SvcParamCursor();

/** Whether the data of an HTTPS or SVCB record hints at such an address (RFC 9460 section 7.3). */
export function hasPrivateHint(bytes: Uint8Array, dataAt: number, dataLength: number): boolean {
  if (!service.start(bytes, dataAt, dataLength)) return false;
  while (service.next()) {
    const { key, valueAt, valueLength } = service;
    if (key !== SvcParamKey.ipv4hint && key !== SvcParamKey.ipv6hint) continue;
    const size = key === SvcParamKey.ipv4hint ? 4 : 16;
    for (let at = valueAt; at + size <= valueAt + valueLength; at += size)
      if (isPrivateAddress(bytes, at, size)) return true;
  }
  return false;
}

/** `length` is 4 or 16. */
export function isPrivateAddress(bytes: Uint8Array, at: number, length: number): boolean {
  if (length === 4) return isPrivateIpv4(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  return isMapped(bytes, at)
    ? isPrivateIpv4(bytes[at + 12] ?? 0, bytes[at + 13] ?? 0)
    : isPrivateIpv6(bytes, at);
}

export function isUnspecified(bytes: Uint8Array, at: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[at + i] !== 0) return false;
  return true;
}

function isPrivateIpv4(first: number, second: number): boolean {
  if (first === 10 || first === 127) return true;
  if (first === 192) return second === 168;
  if (first === 172) return second >= 16 && second < 32;
  if (first === 169) return second === 254;
  return first === 100 && second >= 64 && second < 128;
}

/** ::1, fc00::/7 and fe80::/10. */
function isPrivateIpv6(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] ?? 0;
  if ((first & 0xfe) === 0xfc) return true;
  if (first === 0xfe) return ((bytes[at + 1] ?? 0) & 0xc0) === 0x80;
  return bytes[at + 15] === 1 && zeroUntil(bytes, at, 15);
}

/** ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
function isMapped(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 10] === 0xff && bytes[at + 11] === 0xff && zeroUntil(bytes, at, 10);
}

function zeroUntil(bytes: Uint8Array, at: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[at + i] !== 0) return false;
  return true;
}
