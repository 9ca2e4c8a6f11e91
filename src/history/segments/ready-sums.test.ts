// Precomputed sums equal those that are computed on demand: two stores get the same queries, and one of them
// precomputes everything at every step.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Answerer } from '../thread/answers.ts';
import type { HistoryStore } from './history-store.ts';
import { lastDay } from './last-day.ts';
import { keepEverything, type RetentionLimits } from './retention.ts';
import { Column } from './rows.ts';
import { makeQuerySender } from '#testing/history/query-sender';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hourMs = 3_600_000;

/** The results of all statistics. */
function allStatistics(store: HistoryStore, nowMs: number): unknown {
  const { statistics } = store.statistics(lastDay(nowMs), {}, endless);
  return {
    summary: statistics.summary(),
    upstreams: statistics.upstreams(),
    names: [statistics.topNames('permitted', 1e4), statistics.topNames('blocked', 1e4)],
    clients: [statistics.topClients('all', 1e4), statistics.topClients('blocked', 1e4)],
    slots: statistics.slots(),
    clientSlots: statistics.clientSlots().map(({ fromSeconds, counts }) => [fromSeconds, counts]),
    lists: statistics.lists(),
    dnssec: statistics.counts(Column.dnssec),
  };
}

/** Each action runs on both stores; `same` checks that their statistics are equal. */
function pair(context: TestContext, blockRows: number) {
  const stores = [0, 1].map(() => makeTestStore(context).open({ blockRows }));
  const [ready, plain] = stores;
  assert.ok(ready !== undefined && plain !== undefined);
  const askers = stores.map((store) => ({ store, ask: makeQuerySender([]) }));
  const both = (work: (store: HistoryStore) => void): void => stores.forEach(work);
  return {
    ready,
    both,
    ask: (count: number, timeMs: number): void =>
      askers.forEach(({ store, ask }) => ask(store, count, timeMs)),
    maintain: (nowMs: number, limits: RetentionLimits): void =>
      both((store) => {
        while (store.everyMinute(nowMs, limits));
      }),
    same: (nowMs: number): boolean => {
      both((store) => store.everySecond(nowMs));
      const isMade = ready.prepare();
      while (ready.prepare());
      assert.deepEqual(allStatistics(ready, nowMs), allStatistics(plain, nowMs));
      return isMade;
    },
  };
}

describe('precomputed sums', () => {
  test('agree with all rows while rows come and go', (context) => {
    const { ask, both, maintain, same } = pair(context, 300);
    for (let hour = 0; hour < 30; hour++) {
      ask(250, startMs + hour * hourMs + 25 * 60_000);
      same(startMs + hour * hourMs + 27 * 60_000);
      ask(30, startMs + hour * hourMs + 35 * 60_000);
      same(startMs + hour * hourMs + 36 * 60_000);
      maintain(startMs + hour * hourMs + 37 * 60_000, keepEverything);
    }
    let nowMs = startMs + 30 * hourMs;
    assert.equal(same(nowMs), true);
    assert.equal(same(nowMs + 1000), false, 'it is computed once');
    // Some more segments: first fewer than are merged into the day, then more.
    ask(700, nowMs);
    assert.equal(same(nowMs + 2000), false);
    ask(2_000, nowMs + 3000);
    assert.equal(same(nowMs + 4000), true);
    // Late rows, and the next slot.
    ask(50, nowMs - 20 * hourMs);
    nowMs += 600_000;
    assert.equal(same(nowMs), true);
    // Some rows are deleted by class, then most by age.
    maintain(nowMs, { ...keepEverything, blockedDays: 0.5 });
    assert.equal(same(nowMs), true);
    maintain(nowMs, { ...keepEverything, days: 0.25 });
    assert.equal(same(nowMs), true);
    both((store) => assert.ok(store.flush()));
    same(nowMs);
    ask(100, nowMs);
    same(nowMs + 1000);
    both((store) => store.close());
  });

  test('of the open block agree after each step', (context) => {
    const { ask, both, same } = pair(context, 40_000);
    for (let turn = 0; turn < 12; turn++) {
      ask(3_000, startMs + turn * 60_000);
      // These rows are not settled yet and are put in order later.
      ask(50, startMs + turn * 60_000 - 400);
      same(startMs + turn * 60_000 + 3_000);
    }
    // A part of the block is older than a day.
    same(startMs + 24 * hourMs + 15 * 60_000);
    both((store) => store.close());
  });

  test('need no segment to be read, not for the number of clients either', (context) => {
    const place = makeTestStore(context);
    const store = place.open({ blockRows: 300 });
    const ask = makeQuerySender([]);
    for (let hour = 0; hour < 20; hour++) {
      store.everySecond(startMs + hour * hourMs);
      ask(store, 200, startMs + hour * hourMs);
    }
    const nowMs = startMs + 20 * hourMs;
    store.everySecond(nowMs);
    store.close();
    const again = place.open({ nowMs });
    const answerer = new Answerer(again);
    while (answerer.prepare(nowMs, endless));
    // This would be called between two segments.
    const between = assert.fail;
    const { total, clientsTotal } = answerer.answer('summary', lastDay(nowMs), nowMs, {
      ...endless,
      between,
    });
    assert.deepEqual([total, clientsTotal], [4_000, 5]);
    again.close();
  });
});
