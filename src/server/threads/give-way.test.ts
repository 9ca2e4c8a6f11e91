// In real threads: who gives way is behind the others, who answers before them, and nobody else notices.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism, getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const source = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(${JSON.stringify(new URL('./give-way.ts', import.meta.url).href)}).then((calls) => {
    calls[workerData.call](workerData.workers);
    const { readFileSync } = require('node:fs');
    parentPort.postMessage({
      nice: require('node:os').getPriority(),
      stat: readFileSync('/proc/thread-self/stat', 'utf8'),
    });
  });
`;

const inThread = async (call: string, workers?: number): Promise<{ nice: number; stat: string }> => {
  const [told] = await once(new Worker(source, { eval: true, workerData: { call, workers } }), 'message');
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

test('a thread that answers goes first where a core is left for the others, and who it may', async () => {
  const root = process.getuid?.() === 0;
  const cores = availableParallelism();
  const found = [cores - 1, cores].map(async (workers) =>
    policyOf((await inThread('goFirst', workers)).stat),
  );
  assert.deepEqual(await Promise.all(found), [root && cores > 1 ? 2 : 0, 0]);
  assert.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 0);
});
