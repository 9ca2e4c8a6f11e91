// Whether an address of a record is this machine itself: such clients are not devices of the network.

import { isMappedIpv4 } from '#wire';

/** `address`: 16 bytes. 127.0.0.0/8 and ::1 (RFC 6890 section 2.2). */
export function isLoopback(address: Uint8Array): boolean {
  return isMappedIpv4(address, 0)
    ? address[12] === 127
    : address.every((byte, at) => byte === (at < 15 ? 0 : 1));
}
