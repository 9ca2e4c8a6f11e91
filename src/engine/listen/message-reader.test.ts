// Messages out of a stream, in whatever pieces they come and wherever the reader is stopped.

import assert from 'node:assert/strict';
import test from 'node:test';
import { MessageReader } from './message-reader.ts';

const lengths = Array.from({ length: 400 }, (_, index) => 1 + ((index * index * 37) % 700));

function stream(): Uint8Array {
  return Buffer.concat(
    lengths.map((length, index) =>
      Buffer.concat([Uint8Array.of(length >>> 8, length), Buffer.alloc(length, index)]),
    ),
  );
}

for (const pieceBytes of [1, 3, 701, 4096, 65_536, 1_000_000])
  for (const perTurn of [1, 7, 1000])
    test(`messages in pieces of ${pieceBytes} bytes are read, ${perTurn} messages per turn`, () => {
      const seen: string[] = [];
      let left = perTurn;
      const reader = new MessageReader({
        get acceptsMore() {
          return left > 0;
        },
        onMessage(bytes, start, length) {
          left -= 1;
          seen.push(`${length} of ${bytes[start]} ${bytes[start + length - 1]}`);
        },
      });
      const bytes = stream();
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        let outcome = reader.read(Buffer.from(bytes.subarray(at, at + pieceBytes)));
        while (outcome === 'stopped') {
          left = perTurn;
          outcome = reader.readOn();
        }
        assert.equal(outcome, 'all read');
      }
      assert.ok(!reader.isHalfway);
      assert.deepEqual(
        seen,
        lengths.map((length, index) => `${length} of ${index & 255} ${index & 255}`),
      );
    });
