// Sets of addresses that settings name, single ones and ranges, and whether one is among them.

import { BlockList } from 'node:net';
import { isIpAddress } from '#contract';

/** Nothing when it would be empty. */
export const addressSet = (ranges: readonly string[]): BlockList | undefined => {
  if (ranges.length === 0) return undefined;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = isIpAddress(address) === 4 ? 'ipv4' : 'ipv6';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
};

/** IPv4 in IPv6 is the same address as IPv4. */
export const contains = (list: BlockList, address: string): boolean => {
  const bare = address.startsWith('::ffff:') ? address.slice(7) : address;
  const family = isIpAddress(bare);
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
};
