import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Health, Rank } from './health.ts';

const delays: readonly (readonly [rttMs: number, delayMs: number])[] = [
  [0, 50],
  [10, 50],
  [16, 50],
  [17, 51],
  [40, 120],
  [133, 399],
  [134, 400],
  [2000, 400],
];

for (const [rttMs, delayMs] of delays) {
  test(`an upstream with a round trip of ${rttMs} ms is late after ${delayMs} ms`, () => {
    const health = new Health();
    assert.equal(health.hedgeDelayMs(), 200, 'unmeasured');
    health.replied(0, rttMs);
    assert.equal(health.hedgeDelayMs(), delayMs);
  });
}

test('the round trip time is smoothed, without questions that were retransmitted', () => {
  const health = new Health();
  health.replied(0, 100);
  health.replied(0, 20);
  assert.equal(health.rttMs, 80);
  health.replied(0, -1);
  assert.equal(health.rttMs, 80);
});

test('a late reply makes an upstream suspect only when no other reply came since', () => {
  const health = new Health();
  health.replied(1000, 10);
  health.late(900, 1100);
  assert.equal(health.rank, Rank.healthy, 'it answered others meanwhile');
  health.late(1001, 1100);
  assert.equal(health.rank, Rank.suspected);
});

test('an upstream suspected for two seconds is down, and a reply ends both', () => {
  const health = new Health();
  health.timedOut(0, 100);
  assert.deepEqual([health.rank, health.timeouts], [Rank.suspected, 1]);
  assert.equal(health.checkDown(2099), false);
  assert.equal(health.checkDown(2100), true);
  assert.equal(health.checkDown(2200), false, 'said once');
  assert.equal(health.rank, Rank.down);
  health.replied(3000, -1);
  assert.equal(health.rank, Rank.healthy);
  assert.equal(health.claimProbe(1e9), false, 'and there is nothing to probe');
});

test('probes come after 250 ms, then with growing pauses up to ten seconds', () => {
  const health = new Health();
  assert.equal(health.claimProbe(0), false);
  health.unreachable(0);
  const times: number[] = [];
  for (let nowMs = 0; nowMs < 60_000; nowMs += 10) if (health.claimProbe(nowMs)) times.push(nowMs);
  assert.deepEqual(times.slice(0, 7), [250, 750, 1750, 3750, 7750, 15_750, 25_750]);
});

test('eight errors in a row make an upstream suspect until a good reply', () => {
  const health = new Health();
  for (let at = 0; at < 7; at += 1) {
    health.replied(at, 1);
    health.bad(at);
  }
  assert.equal(health.rank, Rank.healthy);
  health.bad(8);
  assert.equal(health.rank, Rank.suspected);
  health.replied(9, 1);
  assert.equal(health.rank, Rank.suspected);
  health.good();
  assert.equal(health.rank, Rank.healthy);
});

test('the last good reply and the last failure are kept', () => {
  const health = new Health();
  assert.deepEqual([health.goodMs, health.failedMs], [-Infinity, -Infinity]);
  health.replied(10, 1);
  health.good();
  health.late(20, 30);
  assert.deepEqual([health.goodMs, health.failedMs], [10, 30]);
  health.late(5, 40);
  assert.deepEqual([health.goodMs, health.failedMs], [10, 30], 'a reply came after that question');
  health.unreachable(50);
  health.replied(60, 1);
  health.bad(60);
  assert.deepEqual([health.goodMs, health.failedMs], [10, 50], 'an error is no good reply');
});
