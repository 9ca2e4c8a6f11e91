// New queries for a live subscriber: those that came since the subscription, also before the history was
// open, and none that are older; a bounded number per batch, with the number of skipped ones.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Generator, madeUpstreams, makeRing } from '#testing/history/generator';
import type { HistoryStore } from '../segments/history-store.ts';
import { makeTestStore, startMs } from '#testing/history/store';
import { NewestQueries } from './newest-queries.ts';

const made = { seed: 3, rows: 1, hours: 1, names: 50, clients: 3, fromMs: startMs };
function clockMs(): number {
  return 0;
}

function scene(t: TestContext) {
  const store = makeTestStore(t).open();
  t.after(() => store.close());
  const generator = new Generator(made);
  const { writer, reader } = makeRing();
  const ask = (count: number, fromMs: number): void => {
    for (let row = 0; row < count; row++) generator.write(writer, generator.make(fromMs + row));
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
    store.everySecond(fromMs + count);
  };
  const keeper: { store: HistoryStore | undefined } = { store: undefined };
  return { keeper, store, ask, open: () => void (keeper.store = store) };
}

function idsOf(newest: NewestQueries): number[] | undefined {
  return newest.nextBatch()?.rows.map(({ id }) => id);
}

test('old queries are not new when the history is opened late; those that came meanwhile are', (t) => {
  const { keeper, ask, open } = scene(t);
  ask(20, startMs);
  const newest = new NewestQueries({ keeper, clockMs, sinceMs: startMs + 500 });
  assert.equal(newest.nextBatch(), undefined);
  ask(3, startMs + 600);
  open();
  assert.deepEqual(idsOf(newest), [21, 22, 23]);
  assert.equal(newest.nextBatch(), undefined);
  ask(2, startMs + 700);
  assert.deepEqual(idsOf(newest), [24, 25]);
});

test('in a history without older queries all are new, and none was left out', (t) => {
  const { keeper, store, ask, open } = scene(t);
  ask(5, startMs);
  store.flush();
  open();
  const newest = new NewestQueries({ keeper, clockMs, sinceMs: startMs + 100 });
  ask(2, startMs + 200);
  const batch = newest.nextBatch();
  assert.deepEqual([batch?.rows.map(({ id }) => id), batch?.skipped], [[6, 7], 0]);
});

test('of many new queries the newest are sent, with the number of the others', (t) => {
  const { keeper, ask, open } = scene(t);
  open();
  ask(7, startMs);
  const newest = new NewestQueries({ keeper, clockMs, sinceMs: startMs + 50 });
  ask(1_000, startMs + 100);
  const batch = newest.nextBatch();
  assert.deepEqual([batch?.rows.length, batch?.rows.at(-1)?.id, batch?.skipped], [200, 1_007, 800]);
});
