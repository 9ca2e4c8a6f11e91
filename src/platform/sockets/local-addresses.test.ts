// The addresses that a listen address stands for on a machine with given interfaces.

import assert from 'node:assert/strict';
import test from 'node:test';
import { formatListenAddress, parseListenAddresses } from '#contract';
import type { Interfaces } from './interfaces.ts';
import { expandAddress } from './local-addresses.ts';

const common = { netmask: '', mac: '', internal: false, cidr: null };
const interfaces: Interfaces = {
  lo: [
    { ...common, address: '127.0.0.1', family: 'IPv4' },
    { ...common, address: '::1', family: 'IPv6', scopeid: 0 },
  ],
  eth0: [
    { ...common, address: '192.0.2.1', family: 'IPv4' },
    { ...common, address: '192.0.2.2', family: 'IPv4' },
    { ...common, address: '2001:db8::1', family: 'IPv6', scopeid: 0 },
    { ...common, address: 'fe80::1', family: 'IPv6', scopeid: 2 },
  ],
  eth1: [
    { ...common, address: 'fe80::1', family: 'IPv6', scopeid: 3 },
    { ...common, address: '192.0.2.1', family: 'IPv4' },
  ],
};

const ipv4 = ['127.0.0.1:53', '192.0.2.1:53', '192.0.2.2:53'];
const ipv6 = ['[::1]:53', '[2001:db8::1]:53', '[fe80::1%eth0]:53', '[fe80::1%eth1]:53'];

const table: readonly (readonly [listen: string, expanded: readonly string[]])[] = [
  ['127.0.0.9:53', ['127.0.0.9:53']],
  ['[fe80::9%eth0]:53', ['[fe80::9%eth0]:53']],
  ['0.0.0.0:53', ipv4],
  ['[::]:53', ipv6],
  ['*:53', [...ipv4, ...ipv6]],
];

for (const [listen, expanded] of table) {
  test(`${listen} stands for ${expanded.length} addresses`, () => {
    const parsed = parseListenAddresses(listen);
    assert.ok(parsed.ok && parsed.addresses[0] !== undefined);
    const found = expandAddress(parsed.addresses[0], interfaces).map(formatListenAddress);
    assert.deepEqual(found.toSorted(), expanded.toSorted());
  });
}
