// Networks and addresses from text, and random addresses against a comparison of bit strings.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ipBytes } from '#wire';
import { Random } from '#testing/random';
import { contains, parseAddress, parseNetwork } from './networks.ts';

const bitsOf = (text: string): string => {
  const bytes = ipBytes(text) ?? new Uint8Array(0);
  const mapped = bytes.length === 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes] : [...bytes];
  return mapped.map((byte) => byte.toString(2).padStart(8, '0')).join('');
};

const isIn = (client: string, network: string): boolean | undefined => {
  const parsed = parseNetwork(network);
  const address = parseAddress(client);
  return parsed === undefined || address === undefined ? undefined : contains(parsed, address);
};

describe('networks', () => {
  const rows: readonly (readonly [string, string, boolean | undefined])[] = [
    ['10.255.255.255', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['192.168.1.5', '192.168.1.5', true],
    ['192.168.1.4', '192.168.1.5/32', false],
    ['8.8.8.8', '0.0.0.0/0', true],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['8.8.8.8', '::/0', true],
    ['::ffff:10.1.1.1', '10.0.0.0/8', true],
    ['fd12:3456::1', 'fd00::/8', true],
    ['fe80::1%eth0', 'fe80::/10', true],
    ['128.0.0.1', '128.0.0.0/1', true],
    ['127.0.0.1', '128.0.0.0/1', false],
    ['10.0.0.1', '10.0.0.0/33', undefined],
    ['10.0.0.1', '10.0.0.0/', undefined],
    ['10.0.0.1', '10.0.0.0/8/8', undefined],
    ['10.0.0.1', '10.0.0', undefined],
    ['::1', '::1/-1', undefined],
  ];
  for (const [client, network, expected] of rows)
    test(`${client} in ${network}: ${expected}`, () => assert.equal(isIn(client, network), expected));

  test('random addresses agree with a bit-by-bit comparison', () => {
    const random = new Random(5);
    const address = (): string =>
      random.below(2) === 0
        ? Array.from({ length: 4 }, () => random.one([0, 1, 10, 127, 128, 255])).join('.')
        : Array.from({ length: 8 }, () => random.one(['0', '1', '8000', 'ffff', 'fe80'])).join(':');
    for (let round = 0; round < 5000; round++) {
      const [base, client] = [address(), address()];
      const length = random.below(base.includes(':') ? 129 : 33);
      const prefix = base.includes(':') ? length : length + 96;
      const expected = bitsOf(base).slice(0, prefix) === bitsOf(client).slice(0, prefix);
      assert.equal(isIn(client, `${base}/${length}`), expected, `${client} in ${base}/${length}`);
    }
  });
});
