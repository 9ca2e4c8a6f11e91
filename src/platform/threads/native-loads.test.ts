// A thread that loads native calls is not terminated meanwhile. native-loads.faults.test.ts tries it with
// many threads at random moments.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { makeHeartbeat, terminate } from './native-loads.ts';

const loadingWord = 1;
const lookMs = 5;

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function idleWorker(): Promise<Worker> {
  const worker = new Worker('setInterval(() => undefined, 60_000)', { eval: true });
  await once(worker, 'online');
  return worker;
}

test('a thread that is loading is ended when it has loaded, not before', async (t) => {
  const worker = await idleWorker();
  let isEnded = false;
  worker.once('exit', () => (isEnded = true));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const heartbeat = makeHeartbeat();
  Atomics.store(heartbeat, loadingWord, 1);
  const ending = terminate(worker, heartbeat);
  for (let look = 0; look < 10; look++) {
    t.mock.timers.tick(lookMs);
    await turn();
    assert.equal(isEnded, false);
  }
  Atomics.store(heartbeat, loadingWord, 0);
  t.mock.timers.tick(lookMs);
  await ending;
  assert.equal(isEnded, true);
});

test('a thread that hangs while it loads is ended after two seconds', async (t) => {
  const worker = await idleWorker();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const heartbeat = makeHeartbeat();
  Atomics.store(heartbeat, loadingWord, 1);
  let isEnded = false;
  const ending = terminate(worker, heartbeat).then(() => (isEnded = true));
  for (let look = 0; look < 399; look++) {
    t.mock.timers.tick(lookMs);
    await turn();
  }
  assert.equal(isEnded, false);
  t.mock.timers.tick(lookMs);
  await ending;
});
