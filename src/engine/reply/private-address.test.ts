// Which addresses are private, at the edges of each network.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ipBytes } from '#wire';
import { hasPrivateHint, isPrivateAddress, isUnspecified } from './private-address.ts';

const at = (text: string): [Uint8Array, number, number] => {
  const bytes = ipBytes(text) ?? new Uint8Array(0);
  const placed = new Uint8Array(bytes.length + 6).fill(10);
  placed.set(bytes, 3);
  return [placed, 3, bytes.length];
};

const insides: readonly string[] = [
  '10.0.0.0 10.255.255.255 127.0.0.1 192.168.0.0 192.168.255.255 172.16.0.0 172.31.255.255',
  '169.254.0.1 100.64.0.0 100.127.255.255 0.0.0.0 0.0.0.1 0.255.255.255',
  ':: ::1 ::10.0.0.1 ::ffff:0.0.0.0 64:ff9b::192.168.1.1 64:ff9b::10.0.0.1 64:ff9b::0.0.0.0',
  'fc00:: fdff::1 fe80::1 febf::1 fec0::1 feff::1 ::ffff:192.168.1.1 ::ffff:10.0.0.1 ::ffff:0:192.168.1.1',
  // 6to4, and Teredo with a private server and with a private client (its bits are turned over).
  '2002:a00:1:: 2002:c0a8:101::1 2002:7f00:1::1 2001:0:a00:1:: 2001:0:808:808:0:0:3f57:fefe',
  // NAT64 for local use, with prefixes of 96, 64, 56 and 48 bits.
  '64:ff9b:1::10.0.0.1 64:ff9b:1:ab:0:0:192.168.1.1 64:ff9b:1:0:c0:a801:100:0 64:ff9b:1::',
  '64:ff9b:1:abc0:a8:101:: 64:ff9b:1:c0a8:1:100:: 64:ff9b:1:a01::',
];
const outsides: readonly string[] = [
  '9.255.255.255 11.0.0.0 128.0.0.1 192.167.255.255 192.169.0.0 172.15.255.255 172.32.0.0',
  '169.253.255.255 100.63.255.255 100.128.0.0 1.0.0.0 255.255.255.255',
  'fb00::1 fe00::1 fe7f::1 ff02::1 ::8.8.8.8 ::ffff:8.8.8.8 ::fffe:10.0.0.1 64:ff9b::8.8.8.8 1::1',
  '64:ff9c::10.0.0.1 164:ff9b::10.0.0.1 64:ff9b::1:10.0.0.1 64:ff9b:2::10.0.0.1 ::ffff:1:10.0.0.1',
  '2002:808:808::a00:1 2003:a00:1:: 2001:0:808:808:0:0:f7f7:f7f7 2001:1:a00:1:: ::ffff:0:8.8.8.8',
  '64:ff9b:1::8.8.8.8 64:ff9b:1:0:8:808:800:0 64:ff9b:1:ab08:8:808:: 64:ff9b:1:808:8:800::',
  '64:ff9b:1:808:0:100:: 2001:db8::1 192.0.0.8 198.18.0.1 224.0.0.1',
];

describe('private addresses', () => {
  const all = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '));
  for (const text of all(insides)) test(text, () => assert.ok(isPrivateAddress(...at(text))));
  for (const text of all(outsides))
    test(`do not include ${text}`, () => assert.ok(!isPrivateAddress(...at(text))));

  test('isUnspecified finds 0.0.0.0 and :: only', () => {
    for (const text of ['0.0.0.0', '::']) assert.ok(isUnspecified(...at(text)));
    for (const text of ['0.0.0.1', '::1', '1::']) assert.ok(!isUnspecified(...at(text)));
  });

  const services: readonly (readonly [string, boolean, string])[] = [
    ['without parameters', false, '000100'],
    ['a public hint', false, '000100 0004 0004 c6120001'],
    ['a private hint', true, '000100 0004 0004 c0a80101'],
    ['the second hint is private', true, '000100 0004 0008 c6120001 c0a80101'],
    ['an IPv6 hint', true, `000100 0006 0010 fd00${'00'.repeat(14)}`],
    ['a private hint behind a repeated key', true, '000100 0004 0004 c6120001 0004 0004 c0a80101'],
    ['a private hint behind a greater key', true, '000100 0006 0000 0004 0004 c0a80101'],
    ['a repeated key alone', true, '000100 0001 0000 0001 0000'],
    ['half a hint', true, '000100 0004 0006 c6120001 c0a8'],
    ['a parameter beyond the end', true, '000100 0004 0008 c6120001'],
    ['half a parameter', true, '000100 0004 00'],
    ['a target beyond the end', true, '0001 0a61'],
    ['nothing', true, ''],
  ];
  for (const [title, expected, hex] of services)
    test(`hasPrivateHint is ${expected} for an HTTPS record: ${title}`, () => {
      const data = Buffer.from(hex.replaceAll(' ', ''), 'hex');
      const placed = Uint8Array.from([9, 9, ...data, 9]);
      assert.equal(hasPrivateHint(placed, 2, data.length), expected);
    });
});
