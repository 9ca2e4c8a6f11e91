// Sets of addresses and ranges from settings, and whether they contain an address.

import { BlockList } from 'node:net';
import { isIpAddress } from '#contract';

/** Undefined when there are no ranges. */
export function addressSet(ranges: readonly string[]): BlockList | undefined {
  if (ranges.length === 0) return undefined;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = isIpAddress(address) === 4 ? 'ipv4' : 'ipv6';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

/** An IPv4-mapped IPv6 address is the same as the IPv4 address. */
export function contains(list: BlockList, address: string): boolean {
  const bare = address.startsWith('::ffff:') ? address.slice(7) : address;
  const family = isIpAddress(bare);
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
