import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { until } from '../../../test/running/waiting.ts';
import { createLog } from '#platform/log';
import { SupervisedThread } from './supervised-thread.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-thread-'));
after(() => rmSync(dir, { recursive: true }));

function entry(name: string, code: string): URL {
  const path = join(dir, `${name}.mjs`);
  const beating = `import { parentPort, workerData } from 'node:worker_threads';
const heartbeat = setInterval(() => Atomics.add(workerData, 0, 1), 50);
`;
  writeFileSync(path, beating + code);
  return pathToFileURL(path);
}

function supervise(url: URL, maxSilenceMs = 60_000, data = (heartbeat: Int32Array): unknown => heartbeat) {
  const messages: unknown[] = [];
  const terminated: number[] = [];
  const thread = new SupervisedThread({
    name: 'trial',
    entry: url,
    data,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    maxSilenceMs,
    onMessage: (message) => messages.push(message),
    beforeTerminate: () => terminated.push(1),
    onStatus: () => undefined,
    log: createLog({
      thread: 'main',
      level: () => 'error',
      format: 'text',
      nowMs: () => 0,
      write: () => undefined,
    }),
    nowMs: () => performance.now(),
  });
  return { thread, messages, terminated };
}

function messagesReach(messages: readonly unknown[], count: number): Promise<boolean> {
  return until(`${count} messages of the thread`, () => messages.length === count || undefined);
}

/** Starts the supervised thread; resolves with its worker. */
async function startWorker(thread: SupervisedThread): Promise<Worker> {
  const made = once(process, 'worker');
  thread.start();
  const [worker]: Worker[] = await made;
  return worker ?? assert.fail();
}

/** Code that posts a message when it runs, and does `action` on the first message. */
function onFirstMessage(action: string): string {
  return `parentPort.on('message', () => { ${action} });\nparentPort.postMessage('up');\n`;
}

/** Resolves also after an error, for which `once` would throw. */
function exitOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    worker.once('exit', resolve);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const deaths: readonly (readonly [what: string, action: string, reason: RegExp])[] = [
  ['throws', "throw new Error('bang');", /bang/],
  ['exits', 'process.exit(7);', /code 7/],
  ['rejects', "void Promise.reject(new Error('oh'));", /oh/],
  ['eats all its memory', 'const all = []; for (;;) all.push(new Array(1e5).fill({}));', /memory/i],
];

describe('a supervised thread', () => {
  for (const [what, action, reason] of deaths) {
    it(`that ${what} is restarted, with the reason in its status`, async () => {
      const { thread, messages } = supervise(entry(what.replaceAll(' ', '-'), onFirstMessage(action)));
      thread.start();
      await messagesReach(messages, 1);
      thread.post('die');
      await messagesReach(messages, 2);
      assert.equal(thread.status.restarts, 1);
      assert.match(thread.status.lastFailure ?? '', reason);
      await thread.end();
    });
  }

  it('that hangs is terminated and replaced', async () => {
    const { thread, messages, terminated } = supervise(entry('hang', onFirstMessage('for (;;);')), 600);
    thread.start();
    await messagesReach(messages, 1);
    thread.markRunning();
    thread.post('hang');
    await messagesReach(messages, 2);
    assert.deepEqual(terminated, [1]);
    assert.match(thread.status.lastFailure ?? '', /no sign of life/);
    await thread.end();
  });

  it('that is silent at its start is replaced after 120 s, or after the limit that was set', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const silent = entry('silent', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
    for (const [allowedMs, silentMs] of [
      [undefined, 120_000],
      [600_000, 600_000],
    ] as const) {
      const { thread, terminated } = supervise(silent);
      const worker = await startWorker(thread);
      await once(worker, 'online');
      if (allowedMs !== undefined) thread.allowSilentStart(allowedMs);
      t.mock.timers.tick(silentMs);
      assert.deepEqual(terminated, [], `not after ${silentMs} ms`);
      t.mock.timers.tick(1_000);
      assert.deepEqual(terminated, [1], `after ${silentMs} ms`);
      await thread.end();
    }
  });

  it('that dies at each start is restarted at once, then after 100 ms, then after 200 ms', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { thread } = supervise(entry('never', "throw new Error('never');"));
    let starts = 0;
    let exited: Promise<unknown> = Promise.resolve();
    const count = (worker: Worker): void => {
      starts++;
      exited = exitOf(worker);
    };
    process.on('worker', count);
    t.after(() => process.off('worker', count));
    t.after(() => thread.end());
    thread.start();
    for (const [restarts, delayMs] of [0, 100, 200].entries()) {
      await turn();
      await exited;
      assert.deepEqual([starts, thread.status.restarts], [restarts + 1, restarts + 1]);
      if (delayMs > 0) t.mock.timers.tick(delayMs - 1);
      assert.equal(starts, restarts + 1, `not before ${delayMs} ms`);
      t.mock.timers.tick(1);
      await turn();
      assert.equal(starts, restarts + 2, `after ${delayMs} ms`);
    }
  });

  it('that cannot be created is retried', async () => {
    let tries = 0;
    const { thread, messages } = supervise(entry('refused', onFirstMessage('')), undefined, (heartbeat) => {
      tries++;
      if (tries === 1) throw new RangeError('Array buffer allocation failed');
      return heartbeat;
    });
    thread.start();
    await messagesReach(messages, 1);
    assert.equal(thread.status.restarts, 1);
    assert.match(thread.status.lastFailure ?? '', /allocation failed/);
    await thread.end();
  });

  it('that becomes ready while it is stopping is not restarted', async () => {
    const { thread, messages } = supervise(entry('late', onFirstMessage('process.exit(0);')));
    const worker = await startWorker(thread);
    await messagesReach(messages, 1);
    thread.markStopping();
    thread.markRunning();
    const exited = exitOf(worker);
    thread.post('end');
    await exited;
    assert.deepEqual([messages.length, thread.status.restarts, thread.status.state], [1, 0, 'stopping']);
    await thread.end();
  });

  it('is not restarted after `end`', async () => {
    const { thread, messages } = supervise(entry('calm', onFirstMessage('')));
    const exited = exitOf(await startWorker(thread));
    await messagesReach(messages, 1);
    await thread.end();
    await exited;
    assert.deepEqual([messages.length, thread.status.restarts, thread.status.state], [1, 0, 'stopping']);
  });
});
