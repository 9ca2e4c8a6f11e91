// The table of transports holds together, and its columns decide what clients get.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryView } from '#wire';
import { QueryContext } from './answer/query-context.ts';
import { transportNames } from './record/counters.ts';
import { makeQuery } from '#testing/engine/messages';
import { transports, type Transport } from './transport.ts';

test('each row has its position as number, which counters and records use', () => {
  const rows: readonly Transport[] = Object.values(transports);
  assert.deepEqual(
    rows.map(({ number }) => number),
    rows.map((_, place) => place),
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    transportNames,
  );
  // Four bits in a record.
  assert.ok(rows.length <= 16);
});

const limits: readonly (readonly [Transport, words: string, room: number, expected: number])[] = [
  [transports.udp, 'noedns', 4096, 512],
  [transports.udp, 'edns=1000', 4096, 1000],
  [transports.udp, 'edns=4096', 4096, 1232],
  [transports.udp, 'edns=4096', 800, 800],
  [transports.tcp, 'noedns', 65_535, 65_535],
  [transports.tcp, 'edns=1000', 70_000, 65_535],
  [transports.tcp, 'edns=1000', 4096, 4096],
];

for (const [transport, words, room, expected] of limits)
  test(`${transport.title}, ${words}, ${room} bytes of room: an answer has at most ${expected}`, () => {
    const context = new QueryContext(new QueryView(1));
    const { bytes } = makeQuery(['www.example', 'A', words]);
    context.view.read(bytes, 0, bytes.length);
    context.transport = transport;
    context.setOut(new Uint8Array(room), 0, room);
    assert.equal(context.limitBytes, expected);
  });
