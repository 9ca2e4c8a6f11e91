import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readClient, storedClient, type ClientText } from './client-text.ts';

const rows: readonly (readonly [written: string, kind: ClientText['kind'], stored: string])[] = [
  ['192.168.1.5', 'address', '192.168.1.5'],
  ['192.168.1.5/32', 'address', '192.168.1.5'],
  ['::ffff:192.168.1.5', 'address', '192.168.1.5'],
  ['2001:DB8::0:1', 'address', '2001:db8::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', 'address', '2001:db8::1'],
  ['2001:db8::1/128', 'address', '2001:db8::1'],
  ['::', 'address', '::'],
  ['::1', 'address', '::1'],
  ['192.168.1.5/24', 'range', '192.168.1.0/24'],
  ['10.255.255.255/9', 'range', '10.128.0.0/9'],
  ['0.0.0.0/0', 'range', '0.0.0.0/0'],
  ['192.168.1.5/31', 'range', '192.168.1.4/31'],
  ['::ffff:10.1.2.3/104', 'range', '10.0.0.0/8'],
  ['fe80::1234/10', 'range', 'fe80::/10'],
  ['2001:db8:ffff::/33', 'range', '2001:db8:8000::/33'],
  ['2001:db8::ff/127', 'range', '2001:db8::fe/127'],
  ['::/0', 'range', '::/0'],
  ['AA:bb:Cc:00:11:22', 'mac', 'aa:bb:cc:00:11:22'],
  ['AA-BB-CC-00-11-22', 'mac', 'aa:bb:cc:00:11:22'],
  ['AABBcc001122', 'mac', 'aa:bb:cc:00:11:22'],
  ['001122334455', 'mac', '00:11:22:33:44:55'],
  ['aabb.CC00.1122', 'mac', 'aa:bb:cc:00:11:22'],
  ['aabbcc00112', 'host', 'aabbcc00112'],
  ['aabb.cc00.1122ff', 'host', 'aabb.cc00.1122ff'],
  ['Tablet', 'host', 'tablet'],
  ['tablet.lan.', 'host', 'tablet.lan'],
  ['Küche.example', 'host', 'xn--kche-0ra.example'],
  ['3com', 'host', '3com'],
  ['aa-bb', 'host', 'aa-bb'],
  [':eth0', 'interface', ':eth0'],
  [':Wlan0.10@x', 'interface', ':Wlan0.10@x'],
  [`:${'i'.repeat(15)}`, 'interface', `:${'i'.repeat(15)}`],
];

describe('the text of a client', () => {
  for (const [written, kind, stored] of rows) {
    it(`${written} is stored as the ${kind} ${stored}`, () => {
      const read = readClient(written);
      assert.deepEqual([read?.kind, read?.text], [kind, stored]);
      assert.equal(storedClient(stored), stored, 'the stored form is canonical');
    });
  }

  const invalid: readonly string[] = [
    '',
    ' ',
    '/',
    ':',
    '.',
    '10.1',
    '1.2.3.400',
    '1.2.3.4.5',
    '010.1.2.3',
    '192.168.1.0/33',
    '192.168.1.0/',
    '192.168.1.0/08',
    '192.168.1.0/-1',
    '192.168.1.0/24/24',
    '2001:db8::/129',
    '2001:db8:::1',
    '2001:db8::1::2',
    '1:2:3:4:5:6:7',
    'fe80::1%eth0',
    'aa:bb:cc:dd:ee',
    'aa:bb:cc:dd:ee:gg',
    'aa:bb-cc:dd:ee:ff',
    'a b',
    'a..b',
    '-host',
    'host/24',
    ':eth 0',
    ':a/b',
    ':a:b',
    ':..',
    `:${'i'.repeat(16)}`,
    `:${'ü'.repeat(8)}`,
    'http://tablet',
    '*.lan',
  ];
  for (const text of invalid) {
    it(`${JSON.stringify(text)} is invalid`, () => {
      assert.equal(readClient(text), undefined);
      assert.equal(storedClient(text), text);
    });
  }
});

describe('words and prefix of an address', () => {
  const table: readonly (readonly [text: string, words: readonly number[], prefixBits: number])[] = [
    ['10.1.2.3', [0, 0, 0, 0, 0, 0xffff, 0x0a01, 0x0203], 128],
    ['10.1.2.3/8', [0, 0, 0, 0, 0, 0xffff, 0x0a00, 0], 104],
    ['fe80::1/10', [0xfe80, 0, 0, 0, 0, 0, 0, 0], 10],
  ];
  for (const [text, words, prefixBits] of table) {
    it(text, () => {
      const read = readClient(text);
      assert.ok(read !== undefined && 'words' in read);
      assert.deepEqual([read.words, read.prefixBits], [words, prefixBits]);
    });
  }
});
