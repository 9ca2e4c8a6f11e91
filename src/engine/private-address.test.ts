// Which addresses are private, at the edges of each network.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ipBytes } from './net/ip-bytes.ts';
import { isPrivateAddress, isUnspecified } from './private-address.ts';

const at = (text: string): [Uint8Array, number, number] => {
  const bytes = ipBytes(text) ?? new Uint8Array(0);
  const placed = new Uint8Array(bytes.length + 6).fill(10);
  placed.set(bytes, 3);
  return [placed, 3, bytes.length];
};

const insides: readonly string[] = [
  '10.0.0.0 10.255.255.255 127.0.0.1 192.168.0.0 192.168.255.255 172.16.0.0 172.31.255.255',
  '169.254.0.1 100.64.0.0 100.127.255.255',
  '::1 fc00:: fdff::1 fe80::1 febf::1 ::ffff:192.168.1.1 ::ffff:10.0.0.1',
];
const outsides: readonly string[] = [
  '9.255.255.255 11.0.0.0 128.0.0.1 192.167.255.255 192.169.0.0 172.15.255.255 172.32.0.0',
  '169.253.255.255 100.63.255.255 100.128.0.0 0.0.0.0 255.255.255.255',
  ':: ::2 fb00::1 fe00::1 fec0::1 2001:db8::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 1::1',
];

describe('private addresses', () => {
  const all = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '));
  for (const text of all(insides)) test(text, () => assert.ok(isPrivateAddress(...at(text))));
  for (const text of all(outsides)) test(`not ${text}`, () => assert.ok(!isPrivateAddress(...at(text))));

  test('unspecified', () => {
    for (const text of ['0.0.0.0', '::']) assert.ok(isUnspecified(...at(text)));
    for (const text of ['0.0.0.1', '::1', '1::']) assert.ok(!isUnspecified(...at(text)));
  });
});
