// Queries over time, compared with counting all rows one by one; the database info; the flush of the log.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Generator, madeAddress, madeUpstreams, makeRing, type MadeQuery } from '#testing/history/generator';
import { blockedOnly, countBy, type NaiveRow } from '#testing/history/naive-history';
import { makeQuerySender } from '#testing/history/query-sender';
import { makeTestStore, startMs } from '#testing/history/store';
import { readerOver } from '#testing/history/reader';
import { modeText } from './file-facts.ts';
import { dayFromMs, historyScene, hourMs, nowMs, textOf, type Json } from '#testing/api/history-scene';

const scene = historyScene();
function middleOf({ timeMs }: NaiveRow): number {
  return Math.floor(timeMs / 600_000) * 600 + 300;
}
function lastDay(): NaiveRow[] {
  return scene.rows.filter(({ timeMs }) => timeMs >= dayFromMs);
}
function slotsOf(reply: Json, name = 'history'): Json[] {
  return Object.values(reply[name] ?? {});
}
const range = {
  from: String((startMs + 1.25 * hourMs) / 1000),
  until: String((startMs + 40 * hourMs) / 1000),
};
function inRange(): NaiveRow[] {
  return scene.rows.filter(
    ({ timeMs }) => timeMs >= startMs + 1.25 * hourMs && timeMs < startMs + 40 * hourMs,
  );
}

function naiveSlot(rows: readonly NaiveRow[], timestamp: number) {
  const own = rows.filter((row) => middleOf(row) === timestamp);
  const count = (...statuses: readonly number[]): number =>
    own.filter(({ status }) => statuses.includes(status)).length;
  const sums = { timestamp, total: own.length, cached: count(3, 17), blocked: blockedOnly(own).length };
  return { ...sums, forwarded: count(2, 12, 13) };
}

describe('queries over time', () => {
  test('the last 24 hours have all their slots', async () => {
    const slots = slotsOf(await scene.ask('getHistory'));
    assert.equal(slots.length, 145);
    const rows = lastDay();
    for (const [at, slot] of slots.entries())
      assert.deepEqual(slot, naiveSlot(rows, dayFromMs / 1000 + 600 * at + 300));
    const { queries } = await scene.ask('getSummary');
    assert.equal(
      slots.reduce((sum, { total }) => sum + Number(total), 0),
      Number(queries?.['total']),
    );
  });

  test('a range before the first query has empty slots', async () => {
    const from = startMs / 1000 - 700;
    const reply = await scene.ask('getHistory', { from: String(from), until: String(startMs / 1000 + 650) });
    const rows = scene.rows.filter(({ timeMs }) => timeMs < startMs + 650_000);
    const first = startMs / 1000 - 1200 + 300;
    const expected = [0, 600, 1200, 1800].map((later) => naiveSlot(rows, first + later));
    assert.deepEqual(slotsOf(reply), expected);
  });

  test('without a start the range is the day before its end', async () => {
    const until = startMs / 1000 + 30 * 3600;
    for (const name of ['getHistory', 'getClientHistory'] as const) {
      const reply = await scene.ask(name, { until: String(until) });
      const times = slotsOf(reply).map(({ timestamp }) => Number(timestamp));
      assert.deepEqual([times.at(0), times.at(-1)], [until - 86_400 + 300, until - 300]);
      assert.equal(reply['truncated'], false);
    }
  });

  test('a range with too many slots is truncated to 10,000 slots', async () => {
    const reply = await scene.ask('getHistory', { from: '1' });
    assert.equal(slotsOf(reply).length, 10_000);
    assert.equal(reply['truncated'], true);
    assert.deepEqual(slotsOf(await scene.ask('getHistory', { from: '9', until: '2' })), []);
    const early = await scene.ask('getHistory', { until: '1000' });
    assert.deepEqual(
      slotsOf(early).map(({ timestamp }) => Number(timestamp)),
      [300, 900],
    );
    assert.equal(early['truncated'], false);
  });

  test('one client has its own slots', async () => {
    const client = madeAddress(3);
    const slots = slotsOf(await scene.ask('getHistory', { client }));
    const rows = lastDay().filter(({ clientIp }) => clientIp === client);
    assert.equal(
      slots.reduce((sum, { total }) => sum + Number(total), 0),
      rows.length,
    );
  });

  test('a range of the long-term history has the slots with queries', async () => {
    const slots = slotsOf(await scene.ask('getLongTermHistory', range));
    const timestamps = [...new Set(inRange().map(middleOf))].toSorted((a, b) => a - b);
    const expected = timestamps.map((timestamp) => {
      const { forwarded: _, ...slot } = naiveSlot(inRange(), timestamp);
      return slot;
    });
    assert.deepEqual(slots, expected);
  });
});

describe('clients over time', () => {
  for (const [N, named] of [
    [undefined, 9],
    ['4', 3],
    ['1', 0],
    ['0', 30],
    ['30', 30],
    ['29', 28],
  ] as const)
    test(`with N ${N === undefined ? 'left out' : `= ${N}`}, ${named} of 30 clients are named`, async () => {
      const rows = lastDay();
      const totals = countBy(rows, ({ clientIp }) => clientIp);
      const reply = await scene.ask('getClientHistory', N === undefined ? {} : { n: N });
      const { others, ...clients } = reply['clients'] ?? {};
      assert.equal(totals.size, 30);
      assert.equal(Object.keys(clients).length, named);
      for (const [ip, { total }] of Object.entries(clients)) assert.equal(total, totals.get(ip));
      const shown = Object.values(clients).reduce((sum, { total }) => sum + Number(total), 0);
      const rest = { name: 'other clients', total: rows.length - shown };
      assert.deepEqual(others, named < 30 ? rest : undefined);
      const bySlot = countBy(rows, (row) => `${row.clientIp} ${middleOf(row)}`);
      const slots = slotsOf(reply);
      assert.equal(slots.length, 145);
      for (const { timestamp, data = {} } of slots) {
        const keys = Object.keys(data);
        assert.deepEqual(keys, [...Object.keys(clients), 'others']);
        for (const ip of keys.slice(0, -1))
          assert.equal(data[ip], bySlot.get(`${ip} ${textOf(timestamp)}`) ?? 0);
        const sum = Object.values(data).reduce((all, count) => all + Number(count), 0);
        assert.equal(sum, rows.filter((row) => middleOf(row) === Number(timestamp)).length);
      }
    });

  test('many slots reduce the number of clients', async () => {
    const reply = await scene.ask('getClientHistory', { from: '1', N: '0' });
    const slots = slotsOf(reply);
    assert.equal(slots.length, 10_000);
    const numbers = slots.reduce((sum, { data = {} }) => sum + Object.keys(data).length, 0);
    assert.ok(numbers <= 200_000, `${numbers} numbers`);
    const counts = slots.flatMap(({ data = {} }) => Object.values(data).map(Number));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      scene.rows.length,
    );
  });

  test('clients have their names', async () => {
    const { clients } = await scene.ask('getClientHistory', { N: '0' });
    assert.equal(clients?.['10.0.0.1']?.['name'], 'tablet.lan');
    assert.equal(clients?.['10.0.0.3']?.['name'], null);
  });

  test('a range of the long-term history has the slots with queries, newest first', async () => {
    const reply = await scene.ask('getLongTermClientHistory', range);
    const rows = inRange();
    const slots = slotsOf(reply);
    const timestamps = [...new Set(rows.map(middleOf))].toSorted((a, b) => b - a);
    assert.deepEqual(
      slots.map(({ timestamp }) => Number(timestamp)),
      timestamps,
    );
    const bySlot = countBy(rows, (row) => `${row.clientIp} ${middleOf(row)}`);
    const counts = slots.flatMap(({ timestamp, data = {} }) =>
      Object.entries(data).map(([ip, count]) => [`${ip} ${textOf(timestamp)}`, Number(count)] as const),
    );
    assert.deepEqual(new Map(counts), bySlot);
    assert.equal(Object.keys(reply['clients'] ?? {}).length, 30);
  });

  test('hidden clients leave the history of clients empty', async (context) => {
    context.after(() => (scene.privacyLevel = 0));
    scene.privacyLevel = 2;
    const concealed = { history: [], clients: [], truncated: false };
    assert.deepEqual(await scene.ask('getClientHistory'), concealed);
    assert.deepEqual(await scene.ask('getLongTermClientHistory', range), concealed);
    assert.equal(slotsOf(await scene.ask('getHistory')).length, 145);
  });
});

test('the database info has counts, dates and the mode of the file', async () => {
  const reply = await scene.ask('getDatabaseInfo');
  assert.equal(reply['type'], 'Unknown', 'a device is neither file nor link');
  assert.equal(reply['queries'], lastDay().length);
  assert.equal(reply['queries_disk'], scene.rows.length);
  assert.equal(reply['earliest_timestamp_disk'], (scene.rows[0]?.timeMs ?? 0) / 1000);
  assert.ok(Number(reply['earliest_timestamp']) >= dayFromMs / 1000);
  assert.match(textOf(reply['sqlite_version']), /^3\.\d+/u);
  assert.equal(reply['owner']?.['user']?.['uid'], 0);
  assert.equal(modeText(0o100640), 'rw-r-----');
});

// The last test that uses the scene's rows, because it deletes them.
test('a flush deletes all queries, and ids continue', async () => {
  assert.deepEqual(await scene.ask('flushLogs'), { status: 'success' });
  scene.store.everySecond(nowMs);
  const { queries, clients } = await scene.ask('getSummary');
  assert.equal(queries?.['total'], 0);
  assert.equal(clients?.['active'], 0);
  const { recordsTotal, cursor } = await scene.ask('getQueries');
  assert.equal(recordsTotal, 0);
  assert.equal(Number(cursor), scene.rows.length, 'ids are not used again');
  const info = await scene.ask('getDatabaseInfo');
  assert.deepEqual([info['queries_disk'], info['earliest_timestamp_disk']], [0, 0]);
});

test('queries dated in the future are in no sum of the last day', async (context) => {
  const store = makeTestStore(context).open();
  context.after(() => store.close());
  const generator = new Generator({ seed: 3, rows: 9, hours: 1, names: 5, clients: 3, fromMs: startMs });
  const { writer, reader } = makeRing();
  for (const timeMs of [nowMs, nowMs + 2 * hourMs]) generator.write(writer, generator.make(timeMs));
  writer.publish();
  store.readRecords(reader, { upstreams: madeUpstreams });
  context.after(() => (scene.reader = undefined));
  scene.reader = readerOver(store, () => nowMs);
  const totals = slotsOf(await scene.ask('getHistory')).map(({ total }) => Number(total));
  assert.equal(totals.at(-1), 1);
  assert.equal((await scene.ask('getSummary'))['queries']?.['total'], 1);
  assert.equal((await scene.ask('getTopClients'))['total_queries'], 1);
  assert.equal((await scene.ask('getDatabaseInfo'))['queries'], 1);
  assert.equal((await scene.ask('getQueries'))['recordsTotal'], 2, 'the log has all');
});

test('hidden clients do not count towards the limit of clients', async (context) => {
  const store = makeTestStore(context).open();
  context.after(() => store.close());
  const atLevel = (privacy: number) => (query: MadeQuery) => void (query.privacy = privacy);
  const shown: NaiveRow[] = [];
  makeQuerySender(shown)(store, 100, nowMs - 1000);
  makeQuerySender([])(store, 400, nowMs - 1000, atLevel(3));
  makeQuerySender([])(store, 20, nowMs - 1000, atLevel(2));
  context.after(() => (scene.reader = undefined));
  scene.reader = readerOver(store, () => nowMs);
  const totals = [...countBy(shown, ({ clientIp }) => clientIp)].toSorted(([, a], [, b]) => b - a);
  assert.equal(totals.length, 5);
  for (const [N, named] of [
    ['5', 5],
    ['0', 5],
    ['3', 2],
  ] as const) {
    const reply = await scene.ask('getClientHistory', { N });
    const { others, ...clients } = reply['clients'] ?? {};
    const expected = totals.slice(0, named).map(([ip, total]) => [ip, { name: null, total }]);
    assert.deepEqual(clients, Object.fromEntries(expected));
    const rest = totals.slice(named).reduce((sum, [, total]) => sum + total, 420);
    assert.deepEqual(others, { name: 'other clients', total: rest });
    const { data = {} } = slotsOf(reply).at(-1) ?? {};
    assert.deepEqual(Object.keys(data), [...Object.keys(clients), 'others']);
    assert.equal(data['others'], rest);
  }
});

test('a new client appears in all summaries at the same time', async (context) => {
  const store = makeTestStore(context).open();
  context.after(() => store.close());
  const { writer, reader } = makeRing();
  const generator = new Generator({ seed: 3, rows: 99, hours: 1, names: 5, clients: 30, fromMs: startMs });
  const addQueries = (count: number): void => {
    for (let i = 0; i < count; i++) generator.write(writer, generator.make(nowMs));
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
  };
  context.after(() => (scene.reader = undefined));
  scene.reader = readerOver(store, () => nowMs);
  const totalOf = async (query: Record<string, string> = {}): Promise<number> =>
    Number((await scene.ask('getSummary', query))['clients']?.['total']);
  addQueries(1);
  assert.equal(await totalOf(), 1);
  addQueries(90);
  const total = await totalOf();
  assert.ok(total > 1, String(total));
  assert.equal(await totalOf({ client: '192.0.2.255' }), total);
});
