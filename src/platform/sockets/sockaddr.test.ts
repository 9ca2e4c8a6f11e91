// Socket addresses byte by byte for a few known ones, and the round trip for all; the tests of the listeners
// check that the kernel accepts these bytes.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from '../../../test/running/properties.ts';
import { ipBytes, ipText } from '#wire';
import { decodeSockaddr, encodeSockaddr, maxUnixPathBytes, type SocketAddress } from './sockaddr.ts';

const table: readonly (readonly [socketAddress: SocketAddress, hex: string])[] = [
  [{ family: 'ipv4', address: '127.0.0.1', port: 53 }, `02000035 7f000001 ${'00'.repeat(8)}`],
  [{ family: 'ipv4', address: '0.0.0.0', port: 0 }, '00'.repeat(16).replace(/^00/u, '02')],
  [
    { family: 'ipv6', address: '::1', port: 65535, scopeId: 0 },
    `0a00ffff 00000000 ${'00'.repeat(15)}01 00000000`,
  ],
  [
    { family: 'ipv6', address: 'fe80::2', port: 53, scopeId: 4 },
    `0a000035 00000000 fe80${'00'.repeat(13)}02 04000000`,
  ],
  [{ family: 'unix', path: '/a' }, '0100 2f61 00'],
];

for (const [socketAddress, hex] of table) {
  test(`encodes and decodes ${JSON.stringify(socketAddress)}`, () => {
    const bytes = encodeSockaddr(socketAddress);
    assert.equal(Buffer.from(bytes).toString('hex'), hex.replaceAll(' ', ''));
    assert.deepEqual(decodeSockaddr(bytes), socketAddress);
  });
}

test('every address is unchanged after encoding and decoding', () => {
  const port = fc.integer({ min: 0, max: 65535 });
  const scopeId = fc.integer({ min: 0, max: 0xffffffff });
  const path = fc.string({ unit: 'grapheme', minLength: 1 }).filter(isUnixPath);
  const socketAddress = fc.oneof(
    fc.record({ family: fc.constant('ipv4' as const), address: fc.ipV4(), port }),
    fc.record({ family: fc.constant('ipv6' as const), address: fc.ipV6().map(canonical), port, scopeId }),
    fc.record({ family: fc.constant('unix' as const), path }),
  );
  fc.assert(
    fc.property(socketAddress, (given) =>
      assert.deepEqual(decodeSockaddr(encodeSockaddr(given)), { ...given }),
    ),
  );
});

test('no bytes make the decoder throw', () => {
  const bytes = fc.tuple(fc.constantFrom(1, 2, 10, 99), fc.uint8Array({ maxLength: 128 }));
  fc.assert(fc.property(bytes, ([family, rest]) => void decodeSockaddr(Uint8Array.of(family, 0, ...rest))));
  for (const short of [[], [2], [2, 0, 0], [10, 0, 0, 0]]) {
    assert.equal(decodeSockaddr(Uint8Array.from(short)), undefined);
  }
  assert.deepEqual(decodeSockaddr(Uint8Array.of(1, 0)), { family: 'unix', path: '' });
});

test('a unix path may have 107 bytes', () => {
  const longest = encodeSockaddr({ family: 'unix', path: 'x'.repeat(maxUnixPathBytes) });
  assert.equal(longest.byteLength, 110);
  assert.throws(() => encodeSockaddr({ family: 'unix', path: 'x'.repeat(maxUnixPathBytes + 1) }), RangeError);
});

function canonical(text: string): string {
  return ipText(ipBytes(text) ?? new Uint8Array(16));
}

function isUnixPath(path: string): boolean {
  return !path.includes('\0') && path.isWellFormed() && Buffer.byteLength(path) <= maxUnixPathBytes;
}
