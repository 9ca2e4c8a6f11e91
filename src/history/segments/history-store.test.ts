// The store compared with a check of all queries one by one: every statistic and every filter of pages, over
// ranges that end on and next to the edges of hours, days and slots, before and after a restart.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fill, madeAddress, madeName } from '#testing/history/generator';
import type { HistoryStore } from './history-store.ts';
import {
  blockedOnly,
  countBy,
  largest,
  naiveRow,
  permittedOnly,
  type NaiveRow,
} from '#testing/history/naive-history';
import type { PageRequest } from './page.ts';
import type { RowFilter } from './filter.ts';
import { keepEverything } from './retention.ts';
import { classesOfStatuses, StatusClass } from './statuses.ts';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hourMs = 3_600_000;
const hours = 53;
const made = { seed: 3, rows: 24_000, hours, names: 900, clients: 30, fromMs: startMs };
const rows: NaiveRow[] = [];
const endMs = startMs + hours * hourMs;
let store: HistoryStore;

const cleanUp: (() => void)[] = [];
before(() => {
  const place = makeTestStore({ after: (work) => cleanUp.push(work) });
  // Small blocks, so that some are closed in the middle of an hour.
  const filled = place.open({ blockRows: 500 });
  fill(filled, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
  filled.everySecond(endMs - 1);
  filled.close();
  store = place.open({ nowMs: endMs - 1, windowBytes: 200_000 });
});
after(() => {
  store.close();
  for (const work of cleanUp) work();
});

const ranges: readonly (readonly [string, number, number])[] = [
  ['everything', -Infinity, Infinity],
  ['a day of UTC', Date.UTC(2026, 2, 29), Date.UTC(2026, 2, 30)],
  ['from the edge of an hour to the edge of one', startMs + 3 * hourMs, startMs + 9 * hourMs],
  ['within an hour', startMs + 5.2 * hourMs, startMs + 5.7 * hourMs],
  ['the last 24 hours', endMs - 24 * hourMs, endMs],
  ['a day of a zone at half an hour', Date.UTC(2026, 2, 28, 18, 30), Date.UTC(2026, 2, 29, 18, 30)],
  ['a day of 23 hours', Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22)],
  ['one slot', startMs + 600_000, startMs + 1_200_000],
  ['before everything', 0, startMs],
  ['nothing', startMs + hourMs, startMs + hourMs],
];

const filters: readonly (readonly [string, RowFilter, (row: NaiveRow) => boolean])[] = [
  ['no filter', {}, () => true],
  ['a name', { domain: madeName(7) }, ({ domain }) => domain === madeName(7)],
  ['a name in capitals', { domain: madeName(2).toUpperCase() }, ({ domain }) => domain === madeName(2)],
  ['a pattern', { domain: '*site1*' }, ({ domain }) => domain.includes('site1')],
  ['a pattern with a head', { domain: 'h1*.example' }, ({ domain }) => /^h1.*\.example$/u.test(domain)],
  ['characters that are special in SQL', { domain: '%_*' }, () => false],
  ['a client', { clientIp: madeAddress(9) }, ({ clientIp }) => clientIp === madeAddress(9)],
  ['a network', { clientIp: '10.0.0.1*' }, ({ clientIp }) => clientIp.startsWith('10.0.0.1')],
  ['an upstream', { upstream: '192.0.2.2#53' }, ({ upstream }) => upstream === '192.0.2.2#53'],
  ['the cache', { upstream: 'cache' }, ({ status }) => status === 3 || status === 17],
  ['a type', { types: [65] }, ({ type }) => type === 65],
  ['other types', { otherThanTypes: [1, 28] }, ({ type }) => type !== 1 && type !== 28],
  ['a status', { statuses: [4] }, ({ status }) => status === 4],
  ['a reply', { replies: [2] }, ({ reply }) => reply === 2],
  ['a DNSSEC state', { dnssec: [1] }, ({ dnssec }) => dnssec === 1],
  ['a list', { lists: [3] }, ({ listId }) => listId === 3],
  ['a rule', { rules: [19] }, ({ ruleId }) => ruleId === 19],
  ['an absent name', { domain: 'absent.example' }, () => false],
  [
    'two at once',
    { clientIp: madeAddress(3), types: [28] },
    ({ clientIp, type }) => clientIp === madeAddress(3) && type === 28,
  ],
];

const fitsNothing = new Set(['characters that are special in SQL', 'an absent name']);

function within(fromMs: number, untilMs: number): NaiveRow[] {
  return rows.filter(({ timeMs }) => timeMs >= fromMs && timeMs < untilMs);
}

function byNumber(counts: ReadonlyMap<number, number>): Record<string, number> {
  return Object.fromEntries([...counts].map(([value, count]) => [String(value), count]));
}

function compareStatistics(
  expected: readonly NaiveRow[],
  range: readonly [number, number],
  filter: RowFilter,
) {
  const { statistics, truncated } = store.statistics(
    { fromMs: range[0], untilMs: range[1] },
    filter,
    endless,
  );
  assert.equal(truncated, false);
  const ofClass = (wanted: number) =>
    expected.filter(({ status }) => classesOfStatuses[status] === wanted).length;
  const summary = statistics.summary();
  assert.deepEqual(
    { ...summary, types: 0, statuses: byNumber(summary.statuses), replies: byNumber(summary.replies) },
    {
      total: expected.length,
      blocked: blockedOnly(expected).length,
      cached: ofClass(StatusClass.cached),
      forwarded: ofClass(StatusClass.forwarded),
      uniqueDomains: new Set(expected.map(({ domain }) => domain)).size,
      activeClients: new Set(expected.map(({ clientIp }) => clientIp)).size,
      types: 0,
      statuses: Object.fromEntries(countBy(expected, ({ status }) => status)),
      replies: Object.fromEntries(countBy(expected, ({ reply }) => reply)),
    },
  );
  assert.deepEqual(byNumber(summary.types), Object.fromEntries(countBy(expected, ({ type }) => type)));
  compareTops(statistics, expected);
  compareSlots(statistics, expected);
}

type Stats = ReturnType<HistoryStore['statistics']>['statistics'];

function compareTops(statistics: Stats, expected: readonly NaiveRow[]) {
  for (const [kind, own] of [
    ['permitted', permittedOnly(expected)],
    ['blocked', blockedOnly(expected)],
  ] as const) {
    const counts = countBy(own, ({ domain }) => domain);
    const top = statistics.topNames(kind, 10);
    assert.deepEqual(
      top.map(({ count }) => count),
      largest(counts, 10),
    );
    for (const { id, count } of top) assert.equal(counts.get(store.nameOf(id)), count);
  }
  for (const [kind, own] of [
    ['all', expected],
    ['blocked', blockedOnly(expected)],
  ] as const) {
    const counts = countBy(own, ({ clientIp }) => clientIp);
    const top = statistics.topClients(kind, 10);
    assert.deepEqual(
      top.map(({ count }) => count),
      largest(counts, 10),
    );
    for (const { id, count } of top) assert.equal(counts.get(store.clientOf(id).ip), count);
  }
  const lists = countBy(
    expected.filter(({ listId }) => listId !== 0),
    ({ listId }) => listId,
  );
  assert.deepEqual(new Map(statistics.lists().map(({ id, hits }) => [String(id), hits])), lists);
}

function compareSlots(statistics: Stats, expected: readonly NaiveRow[]) {
  const slotOf = ({ timeMs }: NaiveRow) => Math.floor(timeMs / 600_000) * 600;
  const slots = statistics.slots();
  assert.deepEqual(
    new Map(slots.map(({ fromSeconds, total }) => [String(fromSeconds), total])),
    countBy(expected, slotOf),
  );
  assert.deepEqual(
    new Map(
      slots
        .filter(({ blocked }) => blocked > 0)
        .map(({ fromSeconds, blocked }) => [String(fromSeconds), blocked]),
    ),
    countBy(blockedOnly(expected), slotOf),
  );
  const cells = statistics
    .clientSlots()
    .flatMap(({ fromSeconds, counts }) =>
      [...counts].map(([client, count]) => [`${fromSeconds} ${store.clientOf(client).ip}`, count] as const),
    );
  assert.deepEqual(
    new Map(cells),
    countBy(expected, (row) => `${slotOf(row)} ${row.clientIp}`),
  );
  for (const { id, count, meanUs } of statistics.upstreams()) {
    const own = expected.filter(({ upstream }) => upstream === store.upstreamOf(id));
    assert.equal(count, own.length);
    const sum = own.reduce((all, { durationUs }) => all + durationUs, 0);
    assert.ok(Math.abs(meanUs - sum / own.length) < 1e-6);
  }
}

describe('statistics, against all queries one by one', () => {
  for (const [title, fromMs, untilMs] of ranges)
    test(title, () => compareStatistics(within(fromMs, untilMs), [fromMs, untilMs], {}));

  for (const [title, filter, fits] of filters)
    test(`narrowed to ${title}`, () => {
      const range = [startMs + 1.5 * hourMs, endMs - 2.25 * hourMs] as const;
      const expected = within(...range).filter(fits);
      assert.equal(expected.length > 0, !fitsNothing.has(title));
      compareStatistics(expected, range, filter);
    });

  test('the same when past days have their own sums', () => {
    while (store.everyMinute(endMs, keepEverything));
    for (const [, fromMs, untilMs] of ranges)
      compareStatistics(within(fromMs, untilMs), [fromMs, untilMs], {});
  });
});

function plain(page: ReturnType<HistoryStore['page']>) {
  return page.rows.map(({ clientName: _, ede: __, cname: ___, ...row }) => row);
}

function comparePage(request: PageRequest, fits: (row: NaiveRow) => boolean, isSingle: boolean) {
  const { fromMs = -Infinity, untilMs = Infinity, cursor = Infinity, after: afterId = Infinity } = request;
  const fitting = within(fromMs, untilMs).filter((row) => row.id <= cursor && fits(row));
  const expected = fitting.filter(({ id }) => id < afterId).toReversed();
  const page = store.page(request, endless);
  assert.deepEqual(plain(page), expected.slice(request.start, request.start + request.length));
  assert.equal(page.recordsTotal, rows.length);
  if (page.recordsFiltered !== null || isSingle) assert.equal(page.recordsFiltered, fitting.length);
  assert.equal(page.truncated, page.recordsFiltered === null);
}

describe('pages, against all queries one by one', () => {
  for (const [title, filter, fits] of filters)
    test(title, () => {
      const isSingle = Object.keys(filter).length < 2 && filter.rules === undefined;
      const check = (request: Partial<PageRequest>) =>
        comparePage({ ...filter, start: 0, length: 50, ...request }, fits, isSingle);
      check({});
      check({ start: 700, length: 30 });
      check({ cursor: 12_345, start: 40 });
      check({ after: 20_001 });
      check({ length: 0 });
      check({ length: 3, fromMs: startMs + 4.4 * hourMs, untilMs: startMs + 30 * hourMs });
      check({ length: 100_000, fromMs: startMs + 7 * hourMs });
    });

  test('by keys: all rows of a filter, each once', () => {
    const seen: number[] = [];
    let next: number | undefined = Infinity;
    while (next !== undefined) {
      const page = store.page({ start: 0, length: 77, after: next, types: [28] }, endless);
      seen.push(...page.rows.map(({ id }) => id));
      next = page.next;
    }
    assert.deepEqual(
      seen,
      rows
        .filter(({ type }) => type === 28)
        .map(({ id }) => id)
        .toReversed(),
    );
  });
});

describe('a question that takes too long', () => {
  test('ends with what it has, and says so', () => {
    let nowMs = 0;
    const budget = { limitMs: 10, clockMs: () => nowMs++ };
    const page = store.page({ start: 0, length: 5000, rules: [19] }, budget);
    assert.equal(page.truncated, true);
    assert.equal(page.recordsFiltered, null);
    const { statistics, truncated } = store.statistics(
      { fromMs: 0, untilMs: Infinity },
      { rules: [19] },
      { limitMs: 10, clockMs: () => nowMs++ },
    );
    assert.equal(truncated, true);
    assert.ok(statistics.total < rows.filter(({ ruleId }) => ruleId === 19).length);
  });

  test('ends when the caller has gone', () => {
    let asked = 0;
    const isCancelled = () => ++asked > 3;
    const page = store.page({ start: 0, length: 9_999, types: [1] }, { ...endless, isCancelled });
    assert.equal(page.truncated, true);
    assert.ok(page.rows.length > 0 && page.rows.length < 9_999);
    assert.ok(asked <= 5);
  });
});
