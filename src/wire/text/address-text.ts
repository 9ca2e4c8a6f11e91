// The one writer of IP addresses as text: dotted IPv4, and IPv6 in the form of RFC 5952, so that one address
// has one text. The contract has another one for browsers, whose IPv6 text has no dotted part.

import { u16, u8 } from '../bytes.ts';

export function ipv4Text(bytes: Uint8Array, at: number): string {
  return `${u8(bytes, at)}.${u8(bytes, at + 1)}.${u8(bytes, at + 2)}.${u8(bytes, at + 3)}`;
}

export function ipv6Text(bytes: Uint8Array, at: number): string {
  // RFC 5952 section 5: an embedded IPv4 address is shown as one.
  if (isMappedIpv4(bytes, at)) return `::ffff:${ipv4Text(bytes, at + 12)}`;
  const groups = Array.from({ length: 8 }, (_, index) => u16(bytes, at + 2 * index));
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return hexGroups(groups);
  const after = groups.slice(zeros.from + zeros.length);
  return `${hexGroups(groups.slice(0, zeros.from))}::${hexGroups(after)}`;
}

/** `bytes`: 4 or 16. */
export function ipText(bytes: Uint8Array): string {
  return bytes.length === 4 ? ipv4Text(bytes, 0) : ipv6Text(bytes, 0);
}

/** `bytes`: the 16 bytes of a client, IPv4 as ::ffff:a.b.c.d. */
export function addressText(bytes: Uint8Array): string {
  return isMappedIpv4(bytes, 0) ? ipv4Text(bytes, 12) : ipv6Text(bytes, 0);
}

function hexGroups(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

/** ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
export function isMappedIpv4(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < 10; index += 1) if (u8(bytes, at + index) !== 0) return false;
  return u16(bytes, at + 10) === 0xffff;
}

/** The longest run of zero groups; of equal ones the first (RFC 5952 section 4.2.3). */
function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let best = { from: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { from: index - length + 1, length };
  }
  return best;
}
