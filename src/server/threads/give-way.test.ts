// In real threads: who gives way has a lower priority, and nobody else has.

import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';

const source = `
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(new URL('./give-way.ts', import.meta.url).href)}).then(({ giveWay }) => {
    giveWay();
    parentPort.postMessage(require('node:os').getPriority());
  });
`;

test('a thread gives way, and the others keep their place', async () => {
  const before = getPriority();
  const worker = new Worker(source, { eval: true });
  const [there] = await once(worker, 'message');
  assert.equal(there, process.platform === 'linux' ? Math.max(before, 10) : before);
  assert.equal(getPriority(), before);
});
