// A source hears when its client is not welcome, so that a connection can read more slowly; and what a
// stranger gets is hardly longer than what it sent.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { QuerySource } from '../query-source.ts';
import { makeQuery } from '#testing/engine/messages';
import { SentQuery, Network, usualOptions } from '#testing/engine/network';

class CountingSource extends SentQuery implements QuerySource {
  times = 0;

  onUnwelcome(): void {
    this.times += 1;
  }
}

for (const [who, client, times] of [
  ['a client within its limit and then over it', '192.168.1.10', [0, 0, 1, 1]],
  ['a stranger', '8.8.8.8', [1, 1, 1, 1]],
  ['a client without a limit', '127.0.0.1', [0, 0, 0, 0]],
] as const)
  test(who, () => {
    const network = new Network({ ...usualOptions, rateLimit: { ...usualOptions.rateLimit, count: 2 } });
    const query = makeQuery(['pantry', 'A']).bytes;
    for (const expected of times) {
      const source = new CountingSource('tcp', client, '192.168.1.2');
      network.send(source, query);
      assert.equal(source.times, expected);
      assert.equal((source.answer?.[3] ?? 0) & 15, expected === 1 ? 5 : 0);
    }
  });

for (const [what, words, moreBytes] of [
  ['without EDNS', ['www.example', 'A', 'noedns'], 0],
  ['with EDNS', ['www.example', 'A'], 6],
] as const)
  test(`a refused client that queries ${what} gets ${moreBytes} bytes more than it sent`, () => {
    const network = new Network();
    const query = makeQuery(words).bytes;
    const source = new SentQuery('udp', '8.8.8.8', '192.168.1.2');
    network.send(source, query);
    assert.equal(source.answer?.length, query.length + moreBytes);
  });
