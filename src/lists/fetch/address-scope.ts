// How far away an address is: on the internet, in a private network, or on this machine and its link. The
// service fetches lists on behalf of API clients, who must not use it to reach servers that they cannot reach
// themselves (server-side request forgery). The machine's interface addresses count as local, like loopback:
// a server that listens on all addresses, such as the API, is reachable at each of them.

import { isIP } from 'node:net';
import { ipBytes } from '#wire';
import { addressKind, AddressKind, embeddedIpv4 } from '#engine';
import { readInterfaces, type Interfaces } from '#platform/sockets';

export type AddressScope = 'public' | 'private' | 'local';

const scopes = new Map<number, AddressScope>([
  [AddressKind.public, 'public'],
  [AddressKind.special, 'private'],
  [AddressKind.private, 'private'],
]);

/** A text that is not an IP address counts as local, the most restricted scope. */
export function scopeOf(address: string, interfaces: Interfaces = readInterfaces()): AddressScope {
  const [bare = ''] = address.split('%', 1);
  const bytes = isIP(bare) === 0 ? undefined : ipBytes(bare);
  if (bytes === undefined || isOwn(bytes, interfaces)) return 'local';
  return scopes.get(addressKind(bytes, 0, bytes.length)) ?? 'local';
}

/** Also compares the IPv4 addresses embedded in an IPv6 address. */
function isOwn(bytes: Uint8Array, interfaces: Interfaces): boolean {
  const own = new Set<string>();
  for (const { address } of Object.values(interfaces).flatMap((found = []) => found))
    own.add(keyOf(ipBytes(address) ?? []));
  return [bytes, ...ipv4Within(bytes)].some((one) => own.has(keyOf(one)));
}

function ipv4Within(bytes: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  if (bytes.length !== 16) return found;
  for (let nth = 0; ; nth += 1) {
    const ipv4 = embeddedIpv4(bytes, 0, nth);
    if (ipv4 < 0) return found;
    found.push(Uint8Array.of(ipv4 >>> 24, ipv4 >>> 16, ipv4 >>> 8, ipv4));
  }
}

function keyOf(bytes: ArrayLike<number>): string {
  return Array.from(bytes).join('.');
}
