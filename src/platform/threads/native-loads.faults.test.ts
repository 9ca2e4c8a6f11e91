// Threads that load native calls are terminated at any moment. That must not abort the whole process, so a
// separate process does it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const loads = new URL('./native-loads.ts', import.meta.url).href;
const calls = new URL('../sockets/scheduler-calls.ts', import.meta.url).href;

const script = `
import { Worker } from 'node:worker_threads';
const { makeHeartbeat, terminate } = await import(${JSON.stringify(loads)});
const thread = \`
  import { parentPort, workerData } from 'node:worker_threads';
  const { markLoadsIn } = await import(${JSON.stringify(loads)});
  const { loadSchedulerCalls } = await import(${JSON.stringify(calls)});
  markLoadsIn(workerData);
  const load = () => { loadSchedulerCalls(); loadSchedulerCalls(); setImmediate(load); };
  parentPort.postMessage('ready');
  load();
\`;
for (let round = 0; round < 30; round++) {
  const heartbeat = makeHeartbeat();
  const url = new URL('data:text/javascript,' + encodeURIComponent(thread));
  const worker = new Worker(url, { workerData: heartbeat });
  await new Promise((resolve) => worker.once('message', resolve));
  await new Promise((resolve) => setTimeout(resolve, round % 5));
  await terminate(worker, heartbeat);
}
console.log('went on');
`;

test('threads that are terminated while they load native calls do not abort the process', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(stdout.trim(), 'went on');
});
