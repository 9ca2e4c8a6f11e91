// In real threads: a lowered thread runs after the others, a raised one before them, and no other thread
// changes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { loadSchedulerCalls } from '../sockets/scheduler-calls.ts';

const modules = ['./thread-priority.ts', '../sockets/scheduler-calls.ts'];
const source = `
  const { parentPort, workerData } = require('node:worker_threads');
  const modules = ${JSON.stringify(modules.map((name) => new URL(name, import.meta.url).href))};
  Promise.all(modules.map((name) => import(name))).then(([own, { loadSchedulerCalls }]) => {
    ({ ...own, ...loadSchedulerCalls() })[workerData]();
    const { readFileSync } = require('node:fs');
    parentPort.postMessage({
      nice: require('node:os').getPriority(),
      stat: readFileSync('/proc/thread-self/stat', 'utf8'),
    });
  });
`;

async function inThread(call: string): Promise<{ nice: number; stat: string }> {
  const [priority] = await once(new Worker(source, { eval: true, workerData: call }), 'message');
  return priority;
}

/** proc_pid_stat(5): field 41, counted after the name, which may contain spaces. */
function policyOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
}

test('a thread lowers its priority, and the others keep theirs', async () => {
  const before = getPriority();
  const { nice, stat } = await inThread('lowerPriority');
  assert.equal(nice, Math.max(before, 10));
  assert.equal(policyOf(stat), 0);
  assert.equal(getPriority(), before);
});

test('a thread that sent its id is set to idle priority and back', async () => {
  const isRoot = process.getuid?.() === 0;
  const calls = loadSchedulerCalls();
  const file = JSON.stringify(new URL('./thread-priority.ts', import.meta.url).href);
  const worker = new Worker(
    `import(${file}).then(({ kernelThread }) =>
      require('node:worker_threads').parentPort.on('message', () => undefined).postMessage(kernelThread()));`,
    { eval: true },
  );
  // The only message is a number.
  const [thread] = (await once(worker, 'message')) as [number];
  const policy = () => policyOf(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8'));
  assert.deepEqual([calls?.onlyWhenIdle(thread), policy()], [true, 5]);
  assert.deepEqual([calls?.idleNoMore(thread), policy()], isRoot ? [true, 0] : [false, 5]);
  assert.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 0);
  await worker.terminate();
});

test('a thread raises its priority where it may, and lowers it again', async () => {
  const root = process.getuid?.() === 0;
  const found = ['setRealtime', 'setNormal'].map(async (call) => policyOf((await inThread(call)).stat));
  assert.deepEqual(await Promise.all(found), [root ? 2 : 0, 0]);
  assert.equal(policyOf(readFileSync('/proc/self/stat', 'utf8')), 0);
});
