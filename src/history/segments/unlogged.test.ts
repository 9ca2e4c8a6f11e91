// Queries at privacy level 3: they count in the statistics of the last 24 hours and appear nowhere else,
// neither on the disk nor in any other answer.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { queryTypes } from '#contract';
import { Answerer } from '../thread/answers.ts';
import { madeAddress, madeName, type MadeQuery } from '#testing/history/generator';
import { ClientLabels } from './client-labels.ts';
import { openHistoryFile } from './database.ts';
import { eachCount } from './counts.ts';
import { Dictionary } from './dictionary.ts';
import { always } from './filter.ts';
import type { HistoryStore } from './history-store.ts';
import { lastDay, slotMs } from './last-day.ts';
import { blockedOnly, countBy, type NaiveRow } from '#testing/history/naive-history';
import { decodeHead } from './rollup-code.ts';
import { Column, RowFields } from './rows.ts';
import { makeQuerySender, readAll } from '#testing/history/query-sender';
import { endless, makeTestStore, startMs } from '#testing/history/store';
import { Unlogged } from './unlogged.ts';

const hourMs = 3_600_000;
function atLevel(privacy: number) {
  return (query: MadeQuery) => void (query.privacy = privacy);
}
function live(nowMs: number) {
  return { ...lastDay(nowMs), isLive: true };
}

function ask(store: HistoryStore, nowMs: number, isLive = true) {
  return new Answerer(store).answer('summary', { ...lastDay(nowMs), isLive }, nowMs, endless);
}

describe('queries that are only counted', () => {
  test('are in the live statistics with recorded ones, and nowhere else', (context) => {
    const place = makeTestStore(context);
    const store = place.open();
    const counted: NaiveRow[] = [];
    const kept: NaiveRow[] = [];
    const nowMs = startMs + hourMs;
    makeQuerySender(counted)(store, 400, nowMs - 20_000, atLevel(3));
    makeQuerySender(kept)(store, 100, nowMs - 10_000, atLevel(2));
    store.everySecond(nowMs);
    const all = [...counted, ...kept];
    const summary = ask(store, nowMs);
    assert.equal(summary.total, 500);
    assert.equal(summary.lately, 500);
    assert.equal(summary.blocked, blockedOnly(all).length);
    assert.deepEqual([summary.uniqueDomains, summary.activeClients], [1, 1]);
    for (const [counts, of] of [
      [summary.types, ({ type }: NaiveRow) => type],
      [summary.statuses, ({ status }: NaiveRow) => status],
      [summary.replies, ({ reply }: NaiveRow) => reply],
    ] as const)
      assert.deepEqual(new Map([...counts].map(([value, count]) => [String(value), count])), sorted(all, of));
    const { statistics } = store.statistics(live(nowMs), {}, endless);
    const upstreams = statistics.upstreams().map(({ id, count }) => [store.upstreamOf(id), count] as const);
    const forwarded = all.filter(({ upstream }) => upstream !== '');
    assert.deepEqual(
      new Map(upstreams),
      countBy(forwarded, ({ upstream }) => upstream),
    );
    assert.deepEqual(
      statistics.slots().map(({ total }) => total),
      [500],
    );
    assert.equal(ask(store, nowMs, false).total, 100, 'of what is stored');
    assert.equal(readAll(store).length, 100);
    assert.equal(store.usage(lastDay(nowMs), endless).rows, 100);
    const suggested = new Answerer(store).answer(
      'suggestions',
      { ...lastDay(nowMs), count: 9 },
      nowMs,
      endless,
    );
    assert.deepEqual([suggested.domains, suggested.clients.map(({ count }) => count)], [['hidden'], [100]]);
    assert.equal(store.figures().rows, 100);
    store.close();
  });

  test('are counted by list, not by client', (context) => {
    const store = makeTestStore(context).open();
    const rows: NaiveRow[] = [];
    makeQuerySender(rows)(store, 300, startMs, atLevel(3));
    const total = (filter: object): number =>
      store.statistics(live(startMs), filter, endless).statistics.total;
    const [list = 0] = rows.map(({ listId }) => listId).filter((id) => id !== 0);
    assert.equal(total({ lists: [list] }), rows.filter(({ listId }) => listId === list).length);
    assert.equal(total({ clientIp: madeAddress(1) }), 0);
    assert.equal(total({ clientIp: '0.0.0.0' }), 300);
    store.close();
  });

  test('leave nothing on the disk, and are gone after a restart', (context) => {
    const place = makeTestStore(context);
    const store = place.open({ blockRows: 50 });
    const bytes = (): number =>
      readdirSync(place.dataDir).reduce(
        (sum, name) => sum + readFileSync(join(place.dataDir, name)).length,
        0,
      );
    store.everySecond(startMs);
    const before = bytes();
    const rows: NaiveRow[] = [];
    makeQuerySender(rows)(store, 2_000, startMs, atLevel(3));
    assert.equal(ask(store, startMs).total, 2_000);
    store.everySecond(startMs + 1000);
    store.everySecond(startMs + hourMs);
    assert.equal(bytes(), before);
    store.close();
    for (const name of readdirSync(place.dataDir)) {
      const text = readFileSync(join(place.dataDir, name), 'latin1');
      for (const word of [madeName(1), madeAddress(1), 'hidden'])
        assert.ok(!text.includes(word), `${word} in ${name}`);
    }
    const again = place.open();
    assert.equal(ask(again, startMs + hourMs).total, 0);
    again.close();
  });

  test('stay hidden when the level is lowered, go after 24 hours, and with a flush', (context) => {
    const store = makeTestStore(context).open();
    const asked = makeQuerySender([]);
    asked(store, 10, startMs, atLevel(3));
    asked(store, 5, startMs + 1000, atLevel(0));
    asked(store, 7, startMs + 2000, atLevel(3));
    store.everySecond(startMs + 3000);
    assert.equal(ask(store, startMs + 3000).total, 22);
    assert.equal(readAll(store).length, 5);
    const lastMs = lastDay(startMs).untilMs - 1 + 144 * slotMs;
    store.everySecond(lastMs);
    assert.equal(ask(store, lastMs).total, 22);
    store.everySecond(lastMs + 1);
    assert.equal(ask(store, lastMs + 1).total, 0);
    // Also when the clock is set back afterwards.
    assert.equal(ask(store, startMs).total, 5);
    asked(store, 3, lastMs, atLevel(3));
    assert.ok(store.flush());
    assert.equal(ask(store, lastMs).total, 0);
    store.close();
  });
});

function sorted(rows: readonly NaiveRow[], of: (row: NaiveRow) => number): Map<string, number> {
  return new Map([...countBy(rows, of)].toSorted(([a], [b]) => Number(a) - Number(b)));
}

/** Counts the lookups that may reach the database. */
class CountingDictionary extends Dictionary {
  asked = 0;

  override idOf(text: string): number {
    this.asked++;
    return super.idOf(text);
  }
}

function textsFor(context: TestContext) {
  const { database } = openHistoryFile(makeTestStore(context).dataDir, startMs);
  context.after(() => database.close());
  const clients = new Dictionary(database, 'client');
  return {
    names: new Dictionary(database, 'name'),
    clients,
    labels: new ClientLabels(database, clients),
    upstreams: new CountingDictionary(database, 'upstream'),
  };
}

test('look up each upstream once for any number of kinds and slots', (context) => {
  const texts = textsFor(context);
  const fields = new RowFields();
  const unlogged = new Unlogged();
  for (let i = 0; i < 3_000; i++) {
    fields.timeMs = startMs + (i % 100) * slotMs;
    fields.values[Column.list] = Math.floor(i / 100);
    unlogged.add(fields, `192.0.2.${i % 3}#53`);
  }
  const head = decodeHead(unlogged.partialSumOf(always, [], texts)?.part('head') ?? new Uint8Array());
  assert.deepEqual(
    [...head.upstreams.values()].map(({ count }) => count),
    [1_000, 1_000, 1_000],
  );
  assert.equal(texts.upstreams.asked, 3);
});

test('of seconds in the future after a clock change are not the last ones', () => {
  const unlogged = new Unlogged();
  const fields = new RowFields();
  for (const [aheadMs, isCounted] of [
    [-121_000, false],
    [-120_000, true],
    [0, true],
    [1_000, true],
    [2_000, false],
    [hourMs, false],
  ] as const) {
    fields.timeMs = startMs + aheadMs;
    unlogged.add(fields, '');
    unlogged.age(startMs);
    assert.equal(unlogged.countSince(startMs + aheadMs) > 0, isCounted, String(aheadMs));
    unlogged.clear();
  }
});

test('have a bounded number of kinds, with room again when slots expire', (context) => {
  const texts = textsFor(context);
  const fields = new RowFields();
  const unlogged = new Unlogged();
  const listsAt = (slot: number): number => {
    const range = { fromMs: startMs + slot * slotMs, untilMs: startMs + (slot + 1) * slotMs };
    const { counts } = decodeHead(unlogged.partialSumOf(range, [], texts)?.part('head') ?? new Uint8Array());
    let lists = 0;
    eachCount(counts.get(Column.list) ?? new Uint8Array(), () => lists++);
    return lists;
  };
  const fill = (slot: number): void => {
    fields.timeMs = startMs + slot * slotMs;
    for (let list = 1; list <= 1_000; list++) {
      fields.values[Column.list] = list;
      unlogged.add(fields, '192.0.2.1#53');
    }
  };
  for (let slot = 0; slot < 100; slot++) fill(slot);
  const counts = Array.from({ length: 100 }, (_, slot) => listsAt(slot));
  assert.deepEqual([counts[0], counts[15], counts[17], counts[99]], [1_000, 1_000, 1, 1]);
  assert.equal(unlogged.partialSumOf(always, [], texts)?.rows, 100_000);
  unlogged.age(startMs + 150 * slotMs);
  fill(150);
  assert.equal(listsAt(150), 1_000);
});

test('take bounded memory, and each one is counted', (context) => {
  const texts = textsFor(context);
  const fields = new RowFields();
  const kinds = new Unlogged();
  fields.timeMs = startMs;
  for (let i = 0; i < 3_000; i++) {
    fields.values[Column.list] = i;
    kinds.add(fields, '');
  }
  const partialSum = kinds.partialSumOf(lastDay(startMs), [], texts);
  assert.equal(partialSum?.rows, 3_000);
  assert.ok(partialSum.part('head').length < 5_000, 'lists above the limit are not distinguished');
  const types = new Unlogged();
  for (let type = 0; type < 65_536; type++) {
    fields.values[Column.type] = type;
    types.add(fields, '');
  }
  const { counts } = decodeHead(
    types.partialSumOf(lastDay(startMs), [], texts)?.part('head') ?? new Uint8Array(),
  );
  const typeCounts = new Map<number, number>();
  eachCount(counts.get(Column.type) ?? new Uint8Array(), (type, count) => typeCounts.set(type, count));
  for (const [name, type] of Object.entries(queryTypes)) assert.equal(typeCounts.get(type), 1, name);
  assert.ok(typeCounts.size < 100, 'types that no statistic names are not distinguished');
  const slots = new Unlogged();
  for (let slot = 0; slot < 400; slot++) {
    fields.timeMs = startMs + slot * slotMs;
    slots.add(fields, '');
  }
  // The slots of a day, and as many in the future.
  assert.equal(slots.partialSumOf(always, [], texts)?.rows, 291);
});
