// The 16 bytes of an address in a record as text, and as keys of maps.

import { ipv4Text, ipv6Text } from '#wire';

/** `address`: 16 bytes, IPv4 as ::ffff:a.b.c.d. */
export function addressText(address: Uint8Array): string {
  return isIpv4(address) ? ipv4Text(address, 12) : ipv6Text(address, 0);
}

/** 127.0.0.0/8 and ::1 (RFC 6890 section 2.2): this machine. */
export function isLoopback(address: Uint8Array): boolean {
  return isIpv4(address) ? address[12] === 127 : address.every((byte, at) => byte === (at < 15 ? 0 : 1));
}

/** ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
export function isIpv4(address: Uint8Array): boolean {
  return address.subarray(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 0xff));
}
