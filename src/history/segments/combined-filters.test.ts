// Every pair of filters, and some triples, compared with a check of all queries one by one: the page, paging
// by keys to the end, and the statistics under the same filters.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fill, madeAddress, madeName } from '#testing/history/generator';
import type { RowFilter } from './filter.ts';
import type { HistoryStore } from './history-store.ts';
import { naiveRow, type NaiveRow } from '#testing/history/naive-history';
import { keepEverything } from './retention.ts';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hourMs = 3_600_000;
const made = { seed: 12, rows: 3_000, hours: 40, names: 400, clients: 20, fromMs: startMs };
const endMs = startMs + made.hours * hourMs;
const rows: NaiveRow[] = [];
const cleanUp: (() => void)[] = [];
let store: HistoryStore;

before(() => {
  store = makeTestStore({ after: (work) => cleanUp.push(work) }).open({ blockRows: 300 });
  fill(store, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
  while (store.everyMinute(endMs, keepEverything));
});
after(() => {
  store.close();
  for (const work of cleanUp) work();
});

type Fits = (row: NaiveRow) => boolean;
const single: readonly (readonly [RowFilter & { fromMs?: number; untilMs?: number }, Fits])[] = [
  [{ domain: madeName(7) }, ({ domain }) => domain === madeName(7)],
  [{ domain: '*site1*' }, ({ domain }) => domain.includes('site1')],
  [{ clientIp: madeAddress(3) }, ({ clientIp }) => clientIp === madeAddress(3)],
  [{ clientIp: '10.0.0.1*' }, ({ clientIp }) => clientIp.startsWith('10.0.0.1')],
  [{ upstream: '192.0.2.2#53' }, ({ upstream }) => upstream === '192.0.2.2#53'],
  [{ upstream: 'cache' }, ({ status }) => status === 3 || status === 17],
  [{ types: [28, 65] }, ({ type }) => type === 28 || type === 65],
  [{ otherThanTypes: [1] }, ({ type }) => type !== 1],
  [{ statuses: [1, 2] }, ({ status }) => status === 1 || status === 2],
  [{ replies: [2] }, ({ reply }) => reply === 2],
  [{ dnssec: [1] }, ({ dnssec }) => dnssec === 1],
  [{ lists: [3, 4] }, ({ listId }) => listId === 3 || listId === 4],
  [{ rules: [19] }, ({ ruleId }) => ruleId === 19],
  [{ fromMs: startMs + 5.3 * hourMs }, ({ timeMs }) => timeMs >= startMs + 5.3 * hourMs],
  [{ untilMs: startMs + 31.7 * hourMs }, ({ timeMs }) => timeMs < startMs + 31.7 * hourMs],
];

/** Two filters on the same field cannot be combined. */
function clash(one: RowFilter, other: RowFilter): boolean {
  return Object.keys(one).some((key) => key in other);
}

const places = [...single.keys()];
const pairs = places.flatMap((one) => places.filter((other) => other > one).map((other) => [one, other]));
const triples = pairs.map(([one = 0, other = 0]) => [one, other, (one + other + 5) % single.length]);

function compare(chosen: readonly number[]): boolean {
  const parts = chosen.map((place) => single[place] ?? ([{}, () => true] as const));
  const isClash = parts.some(([one], at) => parts.slice(at + 1).some(([other]) => clash(one, other)));
  if (isClash) return false;
  const {
    fromMs = -Infinity,
    untilMs = Infinity,
    ...filter
  } = Object.assign({}, ...parts.map(([one]) => one));
  const expected = rows.filter((row) => parts.every(([, fits]) => fits(row)));
  const what = JSON.stringify({ ...filter, fromMs, untilMs });
  const seen: number[] = [];
  for (let next: number | undefined = Infinity, pages = 0; next !== undefined && pages < 1_000; pages++) {
    const request = { ...filter, fromMs, untilMs, start: 0, length: 150, after: next };
    const page = store.page(request, endless);
    seen.push(...page.rows.map(({ id }) => id));
    if (page.recordsFiltered !== null) assert.equal(page.recordsFiltered, expected.length, what);
    next = page.next;
  }
  assert.deepEqual(seen, expected.map(({ id }) => id).toReversed(), what);
  const { statistics } = store.statistics({ fromMs, untilMs }, filter, endless);
  const summary = statistics.summary();
  assert.deepEqual(
    [summary.total, summary.uniqueDomains, summary.activeClients],
    [
      expected.length,
      new Set(expected.map(({ domain }) => domain)).size,
      new Set(expected.map(({ clientIp }) => clientIp)).size,
    ],
    what,
  );
  return expected.length > 0;
}

describe('filters at once', () => {
  test('every pair of filters returns what both allow', () => {
    const found = pairs.filter(compare).length;
    assert.ok(found > 60, `${found} of ${pairs.length} have rows`);
  });

  test('three filters return what all allow', () => {
    const found = triples.filter(compare).length;
    assert.ok(found > 20, `${found} of ${triples.length} have rows`);
  });
});
