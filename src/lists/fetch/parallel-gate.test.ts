// Which jobs start at which time, with fake timers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ParallelGate } from './parallel-gate.ts';

const rows: readonly (readonly [string, beside: number, begun: readonly number[]])[] = [
  ['without extra places, a job starts only when another one ends', 0, [2, 2, 2, 3]],
  ['slow jobs move to the extra places, as many as there are', 3, [2, 4, 5, 6]],
];
for (const [title, beside, expected] of rows)
  test(title, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const gate = new ParallelGate(2, { patienceMs: 1000, beside });
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 6 }, () =>
      gate.through(() => new Promise<void>((resolve) => ends.push(resolve))),
    );
    const begun: number[] = [];
    for (const passMs of [999, 1, 1000]) {
      t.mock.timers.tick(passMs);
      await turn();
      begun.push(ends.length);
    }
    ends[0]?.();
    await turn();
    t.mock.timers.tick(1000);
    await turn();
    begun.push(ends.length);
    assert.deepEqual(begun, expected);
    for (let at = 0; at < 6; at++) {
      ends[at]?.();
      await turn();
    }
    await Promise.all(all);
  });

test('a slow job moves to an extra place as soon as one is free', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const gate = new ParallelGate(1, { patienceMs: 1000, beside: 1 });
  const ends: (() => void)[] = [];
  const all = [1, 2, 3].map(() => gate.through(() => new Promise<void>((resolve) => ends.push(resolve))));
  for (let second = 0; second < 2; second++) {
    t.mock.timers.tick(1000);
    await turn();
  }
  assert.equal(ends.length, 2);
  ends[0]?.();
  await turn();
  t.mock.timers.tick(1000);
  await turn();
  assert.equal(ends.length, 3);
  for (const end of ends) end();
  await Promise.all(all);
});
