// Against calls that are noted down: what they do to a real thread is tested in threads/give-way.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, countersBytes } from '#engine';
import { RealtimePriority } from './realtime-priority.ts';

const scene = ({ isAllowed = true, hasCoreForOthers = true } = {}) => {
  const counters = new SharedArrayBuffer(countersBytes);
  const calls: string[] = [];
  const call = (name: string) => (): boolean => calls.push(name) > 0 && isAllowed;
  const clock = { nowMs: 0 };
  const priority = new RealtimePriority({
    calls: { setRealtime: call('before'), setNormal: call('like') },
    hasCoreForOthers,
    counters,
    nowMs: () => clock.nowMs,
  });
  const pass = (queries: number): void => {
    clock.nowMs += 250;
    const view = new Float64Array(counters);
    view[Counter.queries] = (view[Counter.queries] ?? 0) + queries;
    priority.update();
  };
  return { priority, calls, pass };
};

test('a worker has raised priority while its load is low', () => {
  const { priority, calls, pass } = scene();
  assert.ok(priority.isRealtime);
  for (const queries of [0, 100, 6_000]) pass(queries);
  assert.deepEqual(calls, ['before']);
  for (const queries of [7_000, 50_000, 5_500]) pass(queries);
  assert.deepEqual(calls, ['before', 'like']);
  assert.ok(!priority.isRealtime);
  for (const queries of [4_000, 0]) pass(queries);
  assert.deepEqual(calls, ['before', 'like', 'before']);
});

test('a worker without the right, or on a single core, keeps normal priority and does not ask again', () => {
  for (const [situation, asked] of [
    [{ isAllowed: false }, ['before']],
    [{ hasCoreForOthers: false }, []],
  ] as const) {
    const { priority, calls, pass } = scene(situation);
    for (const queries of [0, 50_000, 0]) pass(queries);
    assert.ok(!priority.isRealtime);
    assert.deepEqual(calls, asked);
  }
});
