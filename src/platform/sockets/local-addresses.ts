// The addresses of this machine that a listen address stands for. DNS over UDP needs one socket per local
// address, where TCP needs one for all: a reply must leave from the address that was queried, and a datagram
// that arrives at a wildcard socket does not contain that address.

import type { ListenAddress } from '#contract';
import type { Interfaces } from './interfaces.ts';

/**
 * `0.0.0.0`, `::` and `*` become each address that they stand for, with their port; others stay as they are.
 */
export function expandAddress(address: ListenAddress, interfaces: Interfaces): readonly ListenAddress[] {
  const families = wildcardFamilies(address);
  if (families === undefined) return [address];
  const found = new Map<string, ListenAddress>();
  for (const [name, entries = []] of Object.entries(interfaces)) {
    for (const entry of entries) {
      const { address: host } = entry;
      const family = entry.family === 'IPv6' ? 'ipv6' : 'ipv4';
      const zone = entry.family === 'IPv6' && entry.scopeid !== 0 ? name : '';
      if (families.includes(family)) found.set(`${host}%${zone}`, { family, host, zone, port: address.port });
    }
  }
  return [...found.values()];
}

function wildcardFamilies({ family, host }: ListenAddress): readonly ('ipv4' | 'ipv6')[] | undefined {
  if (family === 'both') return ['ipv4', 'ipv6'];
  return host === '0.0.0.0' || host === '::' ? [family] : undefined;
}
