// Socket addresses in cells: text in, text and words out, with the interface of link-local ones.

import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import test from 'node:test';
import { ClientAddress } from '../client-address.ts';
import { peerText, readPeerAddress, readPeerPort, scopeOf, writeClient, writePeer } from './peer-cell.ts';

const [interfaceName, interfaceNumber] = Object.entries(networkInterfaces())
  .flatMap(([name, entries = []]) => entries.map((entry) => [name, entry.scopeid ?? 0] as const))
  .find(([, scope]) => scope !== 0) ?? ['7', 7];

const table: readonly (readonly [text: string, hex: string, back: string])[] = [
  ['192.0.2.33', '02001f90c0000221', '192.0.2.33'],
  ['::1', '0a001f900000000000000000000000000000000000000001', '0:0:0:0:0:0:0:1'],
  ['2001:db8::42', '0a001f900000000020010db8000000000000000000000042', '2001:db8:0:0:0:0:0:42'],
];

for (const [text, hex, back] of table) {
  test(`${text} port 8080 in a cell`, () => {
    const cells = new Uint8Array(96).fill(0xff);
    assert.ok(writePeer(cells, 32, text, 8080));
    assert.equal(Buffer.from(cells).toString('hex', 32, 32 + hex.length / 2), hex);
    assert.ok(
      cells.subarray(0, 32).every((byte) => byte === 0xff),
      'the cell before',
    );
    assert.ok(
      cells.subarray(64).every((byte) => byte === 0xff),
      'the cell behind',
    );
    assert.equal(readPeerPort(cells, 32), 8080);
    assert.equal(peerText(cells, 32), back);
    assert.equal(isIP(peerText(cells, 32)), isIP(text));
    const client = new ClientAddress();
    readPeerAddress(cells, 32, client);
    const copy = new Uint8Array(32);
    writeClient(copy, 0, client, 8080);
    assert.equal(peerText(copy, 0), back);
    assert.equal(readPeerPort(copy, 0), 8080);
  });
}

test('a link-local address keeps its interface', () => {
  const cells = new Uint8Array(32);
  assert.ok(writePeer(cells, 0, `fe80::1%${interfaceName}`, 53));
  assert.equal(new DataView(cells.buffer).getUint32(24, true), interfaceNumber);
  assert.equal(peerText(cells, 0), `fe80:0:0:0:0:0:0:1%${interfaceName}`);
  assert.equal(scopeOf('no-such-if'), 0);
});

test('an invalid address is reported', () => {
  const cells = new Uint8Array(32);
  for (const text of ['', 'example', '1.2.3', 'fe80::x']) assert.equal(writePeer(cells, 0, text, 1), false);
});
