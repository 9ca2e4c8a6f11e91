import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reverseNames } from './reverse-names.ts';

const cases: Record<string, readonly string[]> = {
  '10.0.0.0/8': ['10.in-addr.arpa'],
  '192.168.0.0/16': ['168.192.in-addr.arpa'],
  '192.168.178.0/24': ['178.168.192.in-addr.arpa'],
  '192.168.178.77/24': ['178.168.192.in-addr.arpa'],
  '192.0.2.1': ['1.2.0.192.in-addr.arpa'],
  '192.0.2.1/32': ['1.2.0.192.in-addr.arpa'],
  '192.0.2.6/31': ['6.2.0.192.in-addr.arpa', '7.2.0.192.in-addr.arpa'],
  '172.16.0.0/14': [
    '16.172.in-addr.arpa',
    '17.172.in-addr.arpa',
    '18.172.in-addr.arpa',
    '19.172.in-addr.arpa',
  ],
  '0.0.0.0/0': ['in-addr.arpa'],
  'fd00::/8': ['d.f.ip6.arpa'],
  'fe80::/10': ['8.e.f.ip6.arpa', '9.e.f.ip6.arpa', 'a.e.f.ip6.arpa', 'b.e.f.ip6.arpa'],
  '2001:db8::/32': ['8.b.d.0.1.0.0.2.ip6.arpa'],
  '2001:db8:0:8::/63': [
    '8.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    '9.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
  ],
  '::/0': ['ip6.arpa'],
  '::1': [`1.${'0.'.repeat(31)}ip6.arpa`],
  '::ffff:192.0.2.1/128': [`1.0.2.0.0.0.0.c.f.f.f.f.${'0.'.repeat(20)}ip6.arpa`],
  '10.0.0.0/33': [],
  '10.0.0.0/-1': [],
  '10.0.0.0/': [],
  'fd00::/129': [],
  network: [],
};

for (const [network, names] of Object.entries(cases)) {
  test(`reverse names of ${network}`, () => assert.deepEqual(reverseNames(network), names));
}

test('a prefix inside a label becomes at most 128 names', () => {
  assert.equal(reverseNames('10.0.0.0/9').length, 128);
  assert.equal(reverseNames('10.0.0.128/25').length, 128);
  assert.equal(reverseNames('fd00::/5').length, 8);
});
