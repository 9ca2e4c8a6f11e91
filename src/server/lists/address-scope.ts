// How far away an address is: on the internet, in a private network, or on this machine and its link. Lists
// are fetched by the service on behalf of others, who must not reach by it what they cannot reach themselves
// (server-side request forgery). IPv6 addresses that stand for IPv4 ones are as far away as those.

import { BlockList, isIP } from 'node:net';

export type AddressScope = 'public' | 'private' | 'local';

/** Loopback, "this host" (RFC 1122 section 3.2.1.3), link-local, multicast and broadcast. */
const localIpv4 = ['127.0.0.0/8', '0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'];
const localIpv6 = ['::/127', 'fe80::/10', 'ff00::/8'];
/** RFC 1918, RFC 6598 (shared), RFC 6890 (protocol assignments) and RFC 2544 (benchmarks). */
const privateIpv4 = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '198.18.0.0/15',
];
/**
 * Unique-local, the old site-local, NAT64 of a private network (RFC 8215), and all of Teredo (RFC 4380),
 * which has its IPv4 address in a form that no prefix can name.
 */
const privateIpv6 = ['fc00::/7', 'fec0::/10', '64:ff9b:1::/48', '2001::/32'];

/** What stands before an IPv4 address in IPv6: compatible and mapped (RFC 4291), NAT64 (RFC 6052), 6to4. */
const embeddings: readonly ((ipv4: string, hex: string) => readonly [subnet: string, bitsBefore: number])[] =
  [
    (ipv4) => [`::${ipv4}`, 96],
    (ipv4) => [`::ffff:${ipv4}`, 96],
    (ipv4) => [`64:ff9b::${ipv4}`, 96],
    (_ipv4, hex) => [`2002:${hex}::`, 16],
  ];

const localAddresses = blockList(localIpv4, localIpv6);
const privateAddresses = blockList(privateIpv4, privateIpv6);

/** What cannot be read is local: nobody knows where it leads. */
export function scopeOf(address: string): AddressScope {
  const [bare = ''] = address.split('%', 1);
  const version = isIP(bare);
  if (version === 0) return 'local';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (localAddresses.check(bare, family)) return 'local';
  return privateAddresses.check(bare, family) ? 'private' : 'public';
}

function blockList(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ipv6.map(subnetOf)) list.addSubnet(address, bits, 'ipv6');
  for (const [address, bits] of ipv4.map(subnetOf)) {
    list.addSubnet(address, bits, 'ipv4');
    for (const embed of embeddings) {
      const [subnet, bitsBefore] = embed(address, hexOf(address));
      list.addSubnet(subnet, bitsBefore + bits, 'ipv6');
    }
  }
  return list;
}

function subnetOf(text: string): readonly [address: string, bits: number] {
  const [address = '', bits] = text.split('/');
  return [address, Number(bits)];
}

/** `7f00:0001` for 127.0.0.1. */
function hexOf(ipv4: string): string {
  const hex = ipv4.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return `${hex.slice(0, 2).join('')}:${hex.slice(2).join('')}`;
}
