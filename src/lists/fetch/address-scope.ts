// How far away an address is: on the internet, in a private network, or on this machine and its link. Lists
// are fetched by the service on behalf of others, who must not reach by it what they cannot reach themselves
// (server-side request forgery). The addresses of the machine's own interfaces are as near as loopback is:
// what listens on all of them, as the API does, can be reached by each.

import { isIP } from 'node:net';
import { addressKind, AddressKind, embeddedIpv4, ipBytes } from '#engine';
import { readInterfaces, type Interfaces } from '#platform/sockets';

export type AddressScope = 'public' | 'private' | 'local';

const scopes = new Map<number, AddressScope>([
  [AddressKind.public, 'public'],
  [AddressKind.special, 'private'],
  [AddressKind.private, 'private'],
]);

/** What cannot be read is local: nobody knows where it leads. */
export function scopeOf(address: string, interfaces: Interfaces = readInterfaces()): AddressScope {
  const [bare = ''] = address.split('%', 1);
  const bytes = isIP(bare) === 0 ? undefined : ipBytes(bare);
  if (bytes === undefined || isOwn(bytes, interfaces)) return 'local';
  return scopes.get(addressKind(bytes, 0, bytes.length)) ?? 'local';
}

/** Also inside of IPv6 addresses that stand for IPv4 ones or are carried over IPv4. */
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
