// Who is let in when, without any time that has to pass but the patience of the gate.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ParallelGate } from './parallel-gate.ts';

const rows: readonly (readonly [string, beside: number, begun: readonly number[]])[] = [
  ['nobody steps aside where there is no room', 0, [2, 2, 2, 3]],
  ['as many step aside as there is room for', 3, [2, 4, 5, 6]],
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

test('a job that waits too long gets the extra place as soon as it is free', async (t) => {
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
