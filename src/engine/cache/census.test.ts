// What the cache holds by type: counted in slices, also while it changes, extrapolated for a very large one,
// and never more types than there are rows for.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CacheOptions } from '../options.ts';
import { censusRows } from '../record/census-table.ts';
import { countersBytes } from '../record/counters.ts';
import { readFigures } from '../record/figures.ts';
import { AnswerCache } from './answer-cache.ts';
import { Census } from './census.ts';
import { Kept } from './entry.ts';

const options: CacheOptions = { minTtlSeconds: 0, maxTtlSeconds: 86_400, staleSeconds: 100, prefetch: true };
const name = Uint8Array.of(4, 0, 0, 0, 0, 0);

const put = (cache: AnswerCache, number: number, type: number, expiresAt: number): void => {
  new DataView(name.buffer).setUint32(1, number);
  cache.store({
    name,
    nameLength: name.length,
    hash: Math.imul(number, 0x9e3779b1),
    key: type | (number % 2 === 0 ? Kept.dnssecOk : 0),
    state: 0,
    body: name,
    bodyStart: 0,
    bodyLength: 3,
    ttlOffsets: new Uint16Array(0),
    ttlCount: 0,
    storedAt: 0,
    expiresAt,
    answersAndAuthorities: 0,
    additionalsAndFlags: 0,
    origin: 0,
    addressAndKinds: 0,
  });
};

const taken = (cache: AnswerCache): { readonly census: Census; readonly steps: number } => {
  const census = new Census(cache);
  let steps = 1;
  while (census.step(1000, options)) steps++;
  return { census, steps };
};

describe('what the cache holds', () => {
  test('is counted by type, with expired entries separately', () => {
    const cache = new AnswerCache(1 << 22);
    for (let number = 0; number < 300; number++) put(cache, number, 1, number < 100 ? 999 : 1001);
    for (let number = 300; number < 350; number++) put(cache, number, 28, 2000);
    const { census, steps } = taken(cache);
    assert.equal(steps, Math.ceil(cache.slots / 4096));
    assert.ok(steps > 1);
    const memories = [0, 1].map(() => new SharedArrayBuffer(countersBytes));
    for (const memory of memories) census.write(memory);
    assert.deepEqual(readFigures(memories).cache.content, [
      { type: 1, valid: 400, stale: 200 },
      { type: 28, valid: 100, stale: 0 },
    ]);
    taken(new AnswerCache(1 << 16)).census.write(memories[0] ?? assert.fail());
    assert.deepEqual(readFigures(memories.slice(0, 1)).cache.content, []);
  });

  test('of a very large cache is estimated from a part of it', () => {
    const cache = new AnswerCache(1 << 29);
    for (let number = 0; number < 40_000; number++) put(cache, number, 1, 1001);
    assert.ok(cache.slots > 1 << 20);
    const [row] = taken(cache).census.counts();
    assert.ok(Math.abs((row?.valid ?? 0) - 40_000) < 1_000, String(row?.valid));
  });

  test('lists a bounded number of types', () => {
    const cache = new AnswerCache(1 << 20);
    for (let type = 1; type <= censusRows + 10; type++)
      for (let count = 0; count <= type % 3; count++) put(cache, type * 10 + count, type, 1001);
    const memory = new SharedArrayBuffer(countersBytes);
    taken(cache).census.write(memory);
    const { content } = readFigures([memory]).cache;
    assert.equal(content.length, censusRows);
    assert.ok(
      content.every(({ valid }, at) => valid > 0 && (content[at - 1]?.type ?? 0) < (content[at]?.type ?? 0)),
    );
  });
});
