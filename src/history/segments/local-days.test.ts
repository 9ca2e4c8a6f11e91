// Local days of 23, 24, 25 and 23.5 hours, in zones with an offset of half an hour or 45 minutes, around
// clock changes. The sums of each local day match a check of all queries, and all days together contain every
// query once.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fill } from '#testing/history/generator';
import type { HistoryStore } from './history-store.ts';
import { naiveRow, type NaiveRow } from '#testing/history/naive-history';
import { keepEverything } from './retention.ts';
import { endless, makeTestStore } from '#testing/history/store';

const hourMs = 3_600_000;
const fromMs = Date.UTC(2026, 2, 6);
const days = 32;
const made = { seed: 8, rows: 9_000, hours: days * 24, names: 300, clients: 10, fromMs };
const rows: NaiveRow[] = [];
const cleanUp: (() => void)[] = [];
let store: HistoryStore;

before(() => {
  store = makeTestStore({ after: (work) => cleanUp.push(work) }).open({ nowMs: fromMs });
  fill(store, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
  while (store.everyMinute(fromMs + made.hours * hourMs, keepEverything));
});
after(() => {
  store.close();
  for (const work of cleanUp) work();
});

/** How many hours the days of each zone have, within the time above. */
const zones = {
  'Europe/Berlin': [23, 24],
  'America/New_York': [23, 24],
  'America/St_Johns': [23, 24],
  'Asia/Kathmandu': [24],
  'Australia/Lord_Howe': [24, 24.5],
  'Pacific/Chatham': [24, 25],
} as const;

/** Where the local days begin, from the day before the first query to the day after the last. */
function dayEdges(zone: string): number[] {
  const first = Temporal.Instant.fromEpochMilliseconds(fromMs - 24 * hourMs)
    .toZonedDateTimeISO(zone)
    .startOfDay();
  return Array.from({ length: days + 4 }, (_, day) => first.add({ days: day }).epochMilliseconds);
}

describe('days of', () => {
  for (const [zone, lengths] of Object.entries(zones))
    test(zone, () => {
      const edges = dayEdges(zone);
      const found = new Set<number>();
      let sum = 0;
      for (const [day, from] of edges.slice(0, -1).entries()) {
        const until = edges[day + 1] ?? 0;
        found.add((until - from) / hourMs);
        const expected = rows.filter(({ timeMs }) => timeMs >= from && timeMs < until);
        const { statistics } = store.statistics({ fromMs: from, untilMs: until }, {}, endless);
        assert.equal(statistics.total, expected.length, new Date(from).toISOString());
        const { uniqueDomains, activeClients } = statistics.summary();
        assert.equal(uniqueDomains, new Set(expected.map(({ domain }) => domain)).size);
        assert.equal(activeClients, new Set(expected.map(({ clientIp }) => clientIp)).size);
        const page = store.page({ start: 0, length: 5, fromMs: from, untilMs: until }, endless);
        assert.deepEqual(
          page.rows.map(({ id }) => id),
          expected
            .slice(-5)
            .map(({ id }) => id)
            .toReversed(),
        );
        assert.equal(page.recordsFiltered, expected.length);
        sum += statistics.total;
      }
      assert.equal(sum, rows.length);
      assert.deepEqual(
        [...found].toSorted((a, b) => a - b),
        lengths,
      );
    });
});
