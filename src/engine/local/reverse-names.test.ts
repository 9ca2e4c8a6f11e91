// Names of reverse lookups, by rows, and every zone of a network against the addresses in it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ipBytes } from '#wire';
import { reverseName, reverseZones } from './reverse-names.ts';

const nameOf = (address: string): string => reverseName(ipBytes(address) ?? new Uint8Array(4));
const isIn = (address: string, network: string): boolean =>
  reverseZones(network).some((zone) => nameOf(address) === zone || nameOf(address).endsWith(`.${zone}`));

describe('reverse names', () => {
  test('of IPv4 and IPv6 addresses are in in-addr.arpa and ip6.arpa', () => {
    assert.equal(nameOf('192.168.1.20'), '20.1.168.192.in-addr.arpa');
    assert.equal(nameOf('0.0.0.0'), '0.0.0.0.in-addr.arpa');
    const zeros = '0.'.repeat(23);
    assert.equal(nameOf('2001:db8::1'), `1.${zeros}8.b.d.0.1.0.0.2.ip6.arpa`);
  });

  const zones: readonly (readonly [string, readonly string[]])[] = [
    ['10.0.0.0/8', ['10.in-addr.arpa']],
    ['192.168.1.77/24', ['1.168.192.in-addr.arpa']],
    ['192.168.1.7', ['7.1.168.192.in-addr.arpa']],
    ['192.168.2.0/23', ['2.168.192.in-addr.arpa', '3.168.192.in-addr.arpa']],
    ['192.168.3.9/23', ['2.168.192.in-addr.arpa', '3.168.192.in-addr.arpa']],
    ['0.0.0.0/0', ['in-addr.arpa']],
    ['fd00::/8', ['d.f.ip6.arpa']],
    ['fc00::/7', ['c.f.ip6.arpa', 'd.f.ip6.arpa']],
    ['::/0', ['ip6.arpa']],
    ['nonsense', []],
    ['10.0.0.0/33', []],
  ];
  for (const [network, expected] of zones)
    test(`zones of ${network}`, () => assert.deepEqual(reverseZones(network), expected));

  test('a network and its zones contain the same addresses', () => {
    for (const address of ['172.16.0.0', '172.31.255.255', '172.20.1.1'])
      assert.ok(isIn(address, '172.16.0.0/12'), address);
    for (const address of ['172.15.255.255', '172.32.0.0', '16.172.0.1'])
      assert.ok(!isIn(address, '172.16.0.0/12'), address);
    assert.ok(isIn('100.127.255.255', '100.64.0.0/10'));
    assert.ok(!isIn('100.128.0.0', '100.64.0.0/10'));
    for (const address of ['fe80::1', 'febf::1']) assert.ok(isIn(address, 'fe80::/10'), address);
    assert.ok(!isIn('fec0::1', 'fe80::/10'));
  });
});
