// In real threads: who gives way is behind the others, who answers has short turns, and nobody else notices.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const source = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(${JSON.stringify(new URL('./give-way.ts', import.meta.url).href)}).then((calls) => {
    calls[workerData]();
    const { readFileSync } = require('node:fs');
    parentPort.postMessage({
      nice: require('node:os').getPriority(),
      stat: readFileSync('/proc/thread-self/stat', 'utf8'),
      sched: readFileSync('/proc/thread-self/sched', 'utf8'),
    });
  });
`;

const inThread = async (call: string): Promise<{ nice: number; stat: string; sched: string }> => {
  const [told] = await once(new Worker(source, { eval: true, workerData: call }), 'message');
  return told;
};

/** proc_pid_stat(5): field 41, counted behind the name, which may have spaces. */
const policyOf = (stat: string): number => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);

for (const [call, policy] of [
  ['giveWay', 0],
  ['giveWayAtOnce', 5],
] as const)
  test(`a thread gives way, and the others keep their place: ${call}`, async () => {
    const before = getPriority();
    const { nice, stat } = await inThread(call);
    assert.equal(nice, Math.max(before, 10));
    assert.equal(policyOf(stat), policy);
    assert.equal(getPriority(), before);
    assert.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 0);
  });

test('a thread that answers takes short turns where the kernel knows them', async () => {
  const { nice, stat, sched } = await inThread('takeShortTurns');
  assert.equal(nice, getPriority());
  assert.equal(policyOf(stat), 0);
  const slice = /^se\.slice\s*:\s*(\d+)/m.exec(sched)?.[1];
  if (slice !== undefined) assert.equal(Number(slice), 250_000);
});
