// Addresses as text against the platform's own judgement of them, and their bytes against known ones.

import assert from 'node:assert/strict';
import { isIP, SocketAddress } from 'node:net';
import test from 'node:test';
import { ipBytes } from './address-bytes.ts';

const known: readonly (readonly [text: string, hex: string])[] = [
  ['0.0.0.0', '00000000'],
  ['127.0.0.1', '7f000001'],
  ['255.254.253.10', 'fffefd0a'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['1::', '00010000000000000000000000000000'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ['2001:db8::ff00:42:8329', '20010db8000000000000ff0000428329'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
  ['::2:3:4:5:6:7:8', '00000002000300040005000600070008'],
  ['::ffff:192.0.2.33', '00000000000000000000ffffc0000221'],
  ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221'],
  ['ABCD:EF::a', 'abcd00ef00000000000000000000000a'],
];

for (const [text, hex] of known) {
  test(`${text} as bytes`, () => {
    const bytes = ipBytes(text);
    assert.ok(bytes);
    assert.equal(Buffer.from(bytes).toString('hex'), hex);
  });
}

const wrong = [
  '',
  '1',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.256',
  '1.2.3.4%eth0',
  '1.2.3.04',
  '00.2.3.4',
  '::1.2.3.04',
  '1.2..4',
  '1.2.3.4.',
  'a.b.c.d',
  ':',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4::5:6:7:8',
  '12345::',
  'g::',
  '1:',
  ':1',
  '1:2:3:4:5:6:7:',
  '::1.2.3',
  '::1.2.3.4:5',
  '1:2:3:4:5:6:7:1.2.3.4',
];

for (const text of wrong) {
  test(`"${text}" is not an address`, () => {
    assert.equal(isIP(text), 0);
    assert.equal(ipBytes(text), undefined);
  });
}

test('ten thousand addresses are unchanged after conversion to text and back', () => {
  for (let index = 0; index < 10_000; index += 1) {
    const seed = Math.imul(index + 1, 0x9e3779b1) >>> 0;
    const groups = Array.from({ length: 8 }, (_, group) =>
      (seed >>> group) & 3 ? (seed >>> group) & 0xffff : 0,
    );
    const text = groups.map((group) => group.toString(16)).join(':');
    const short = new SocketAddress({ address: text, family: 'ipv6' }).address;
    assert.deepEqual(ipBytes(short), ipBytes(text), short);
  }
});
