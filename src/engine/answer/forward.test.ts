// Answers that are larger than an entry of the cache may be: all waiting queries get them, whole, and they
// are not cached.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Rcode, rcodeOf } from '#wire';
import { makeQuery, makeReply } from '#testing/engine/messages';
import { SentQuery, Network, usualOptions } from '#testing/engine/network';

const smallCacheBytes = 4096;
const recordsAt = (answer: Uint8Array): number => ((answer[6] ?? 0) << 8) | (answer[7] ?? 0);

function ask(network: Network, name: string): SentQuery {
  const asked = new SentQuery('tcp', '192.168.1.10', '192.168.1.2');
  network.send(asked, makeQuery([name, 'A', 'tcp']).bytes);
  return asked;
}

function reply(network: Network, records: readonly string[]): void {
  const [taken, ...more] = network.forwarder.questions.splice(0);
  assert.ok(taken !== undefined && more.length === 0);
  network.forwarder.reply(taken, makeReply(taken.question, ['NOERROR'], records));
}

const addresses = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name} 60 A 198.18.${i >> 8}.${i & 0xff}`);

describe('an answer that is too large for the cache', () => {
  for (const count of [100, 2000])
    test(`${count} records`, () => {
      const network = new Network(usualOptions, smallCacheBytes);
      const both = [ask(network, 'big.example'), ask(network, 'big.example')];
      reply(network, addresses('big.example', count));
      for (const { answer = new Uint8Array(12) } of both)
        assert.deepEqual([rcodeOf(answer, 0), recordsAt(answer)], [Rcode.noError, count]);
      assert.equal(ask(network, 'big.example').answer, undefined, 'it was not kept');
      reply(network, addresses('big.example', 1));
      assert.equal(recordsAt(ask(network, 'big.example').answer ?? new Uint8Array(12)), 1);
    });

  test('small answers stay in the cache', () => {
    const network = new Network(usualOptions, smallCacheBytes);
    ask(network, 'small.example');
    reply(network, addresses('small.example', 1));
    ask(network, 'big.example');
    reply(network, addresses('big.example', 100));
    assert.equal(recordsAt(ask(network, 'small.example').answer ?? new Uint8Array(12)), 1);
  });
});

test('an answer with the most records that fit a message is forwarded', () => {
  const network = new Network();
  const asked = ask(network, '.');
  // A record of the root without data takes eleven bytes.
  const records = Array.from({ length: 5950 }, () => String.raw`. 60 TYPE65280 \# `);
  reply(network, records);
  assert.equal(recordsAt(asked.answer ?? new Uint8Array(12)), records.length);
});
