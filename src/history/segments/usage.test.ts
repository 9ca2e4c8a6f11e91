// Usage slices, merged and compared with the queries one by one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from './budget.ts';
import { fill } from '#testing/history/generator';
import type { HistoryStore } from './history-store.ts';
import { naiveRow, type NaiveRow } from '#testing/history/naive-history';
import { endless, makeTestStore, startMs } from '#testing/history/store';
import { usageWords, type UsageRequest } from './usage.ts';

const hourMs = 3_600_000;
const maxSlices = 1_000;

/** Counts by name, client and type, from all slices of a range. */
function wholeUsage(store: HistoryStore, range: UsageRequest): Map<string, number> {
  const sums = new Map<string, number>();
  let beforeId: number | undefined = Infinity;
  for (let slices = 0; beforeId !== undefined; slices++) {
    assert.ok(slices < maxSlices);
    const { keys, counts, next } = store.usage({ ...range, beforeId }, endless);
    const names = store.namesOf(keys.filter((_, at) => at % usageWords === 0)).split('\n');
    for (const [at, count] of counts.entries()) {
      const [, client = 0, type = 0] = keys.subarray(at * usageWords);
      const key = `${names[at]} ${store.clientOf(client).ip} ${type}`;
      sums.set(key, (sums.get(key) ?? 0) + count);
    }
    beforeId = next;
  }
  return sums;
}

test('slices contain every query of the range once', (context) => {
  const store = makeTestStore(context).open({ blockRows: 300 });
  const rows: NaiveRow[] = [];
  const made = { seed: 4, rows: 5_000, hours: 20, names: 300, clients: 12, fromMs: startMs };
  fill(store, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
  for (const [fromMs, untilMs] of [
    [-Infinity, Infinity],
    [startMs + 3.4 * hourMs, startMs + 11.2 * hourMs],
    [startMs + 19.5 * hourMs, Infinity],
    [startMs + 50 * hourMs, Infinity],
  ] as const) {
    const wanted = new Map<string, number>();
    for (const { timeMs, domain, clientIp, type } of rows) {
      if (timeMs < fromMs || timeMs >= untilMs) continue;
      const key = `${domain} ${clientIp} ${type}`;
      wanted.set(key, (wanted.get(key) ?? 0) + 1);
    }
    assert.deepEqual(wholeUsage(store, { fromMs, untilMs }), wanted);
  }
  store.close();
});

test('a slice that runs out of time says where to continue', (context) => {
  const store = makeTestStore(context).open({ blockRows: 300 });
  fill(store, { seed: 4, rows: 1_000, hours: 5, names: 30, clients: 3, fromMs: startMs });
  const never = { limitMs: -1, clockMs: () => 0 };
  assert.equal(new Budget(never).mayGoOn(), false);
  const { rows, next } = store.usage({ fromMs: -Infinity, untilMs: Infinity }, never);
  const rest = store.usage({ fromMs: -Infinity, untilMs: Infinity, beforeId: next ?? 0 }, endless);
  assert.equal(rows + rest.rows, 1_000);
  store.close();
});
