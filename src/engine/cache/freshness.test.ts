// How good an entry is, by its age: the edges of each state, and the pause between refreshes even when an
// entry is days old.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CacheOptions } from '../options.ts';
import { AnswerCache } from './answer-cache.ts';
import { Entry, State } from './entry.ts';
import { claimRefresh, Freshness, freshnessOf } from './freshness.ts';

const options: CacheOptions = { minTtlSeconds: 0, maxTtlSeconds: 86_400, staleSeconds: 100, prefetch: true };

function cacheWith(ttlSeconds: number, state = 0): { cache: AnswerCache; place: number } {
  const cache = new AnswerCache(4096);
  const name = Uint8Array.of(1, 0x61, 0);
  const place = cache.store({
    name,
    nameLength: 3,
    hash: 7,
    key: 1,
    state,
    body: name,
    bodyStart: 0,
    bodyLength: 3,
    ttlOffsets: new Uint16Array(0),
    ttlCount: 0,
    storedAt: 1000,
    expiresAt: 1000 + ttlSeconds,
    answersAndAuthorities: 0,
    additionalsAndFlags: 0,
    origin: 0,
    addressAndKinds: 0,
  });
  return { cache, place };
}

const rows: readonly (readonly [string, number, number, Partial<CacheOptions>, number, number])[] = [
  // what, TTL, age, options, state, expected
  ['new', 60, 0, {}, 0, Freshness.fresh],
  ['last second', 60, 59, {}, 0, Freshness.fresh],
  ['over', 60, 60, {}, 0, Freshness.stale],
  ['last stale second', 60, 159, {}, 0, Freshness.stale],
  ['stale window over', 60, 160, {}, 0, Freshness.gone],
  ['stale for ever', 60, 1_000_000, { staleSeconds: 0 }, 0, Freshness.stale],
  ['never stale', 60, 60, { staleSeconds: -1 }, 0, Freshness.gone],
  ['a failure is never stale', 5, 5, {}, State.failure, Freshness.gone],
  ['TTL 0 in the same second', 0, 0, {}, 0, Freshness.gone],
  ['TTL 0 later', 0, 1, { staleSeconds: 0 }, 0, Freshness.gone],
];

describe('freshness', () => {
  for (const [title, ttlSeconds, age, changed, state, expected] of rows)
    test(title, () => {
      const { cache, place } = cacheWith(ttlSeconds, state);
      assert.equal(freshnessOf(cache, place, 1000 + age, { ...options, ...changed }), expected);
    });

  test('a popular entry in the last tenth of its TTL is due for a refresh', () => {
    const { cache, place } = cacheWith(100);
    for (let hit = 0; hit < 3; hit++) assert.equal(freshnessOf(cache, place, 1090, options), Freshness.fresh);
    assert.equal(freshnessOf(cache, place, 1089, options), Freshness.fresh);
    assert.equal(freshnessOf(cache, place, 1090, options), Freshness.dueSoon);
    assert.equal(freshnessOf(cache, place, 1090, { ...options, prefetch: false }), Freshness.fresh);
  });

  test('the hit counter does not overflow into the time of the refresh', () => {
    const { cache, place } = cacheWith(100);
    for (let hit = 0; hit < 70_000; hit++) freshnessOf(cache, place, 1001, options);
    assert.equal((cache.words[place + Entry.hits] ?? 0) >>> 16, 0);
    assert.ok(claimRefresh(cache, place, 1001));
  });

  test('an entry is refreshed at most once in 30 s', () => {
    const { cache, place } = cacheWith(60);
    for (const age of [0, 60, 32_700, 40_000, 65_533, 65_534, 65_535, 65_600, 131_069, 1_000_000]) {
      assert.ok(claimRefresh(cache, place, 1000 + age * 2), `age ${age * 2}`);
      assert.ok(!claimRefresh(cache, place, 1000 + age * 2 + 29), `age ${age * 2} + 29`);
      assert.ok(claimRefresh(cache, place, 1000 + age * 2 + 30), `age ${age * 2} + 30`);
    }
  });
});
