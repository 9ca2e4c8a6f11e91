import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createLog } from '../log/log.ts';
import { SupervisedThread } from './supervised-thread.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-thread-'));
after(() => rmSync(dir, { recursive: true }));

const entry = (name: string, code: string): URL => {
  const path = join(dir, `${name}.mjs`);
  const beating = `import { parentPort, workerData } from 'node:worker_threads';
const heartbeat = setInterval(() => Atomics.add(workerData, 0, 1), 50);
`;
  writeFileSync(path, beating + code);
  return pathToFileURL(path);
};

const supervise = (url: URL, silenceMaxMs = 60_000, data = (heartbeat: Int32Array): unknown => heartbeat) => {
  const messages: unknown[] = [];
  const forced: number[] = [];
  const thread = new SupervisedThread({
    name: 'trial',
    entry: url,
    data,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    silenceMaxMs,
    onMessage: (message) => messages.push(message),
    beforeForce: () => forced.push(1),
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
  return { thread, messages, forced };
};

const until = async (condition: () => boolean, withinMs = 60_000): Promise<void> => {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) assert.fail('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Code that says it is there, and does something when it is told to. */
const doing = (action: string): string =>
  `parentPort.on('message', () => { ${action} });\nparentPort.postMessage('up');\n`;

const deaths: readonly (readonly [what: string, action: string, reason: RegExp])[] = [
  ['throws', "throw new Error('bang');", /bang/],
  ['exits', 'process.exit(7);', /code 7/],
  ['rejects', "void Promise.reject(new Error('oh'));", /oh/],
  ['eats all its memory', 'const all = []; for (;;) all.push(new Array(1e5).fill({}));', /memory/i],
];

describe('a supervised thread', () => {
  for (const [what, action, reason] of deaths) {
    it(`that ${what} is started again, and says why`, async () => {
      const { thread, messages } = supervise(entry(what.replaceAll(' ', '-'), doing(action)));
      thread.start();
      await until(() => messages.length === 1);
      thread.post('die');
      await until(() => messages.length === 2);
      assert.equal(thread.status.restarts, 1);
      assert.match(thread.status.lastFailure ?? '', reason);
      await thread.end();
    });
  }

  it('that hangs is ended by force and replaced', async () => {
    const { thread, messages, forced } = supervise(entry('hang', doing('for (;;);')), 600);
    thread.start();
    await until(() => messages.length === 1);
    thread.markRunning();
    thread.post('hang');
    await until(() => messages.length === 2);
    assert.deepEqual(forced, [1]);
    assert.match(thread.status.lastFailure ?? '', /no sign of life/);
    await thread.end();
  });

  it('that cannot start is not tried without pause', async () => {
    const { thread } = supervise(entry('never', "throw new Error('never');"));
    thread.start();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.ok(thread.status.restarts <= 5, `${thread.status.restarts}`);
    await until(() => thread.status.restarts >= 2);
    await thread.end();
  });

  it('that the system cannot make is tried again', async () => {
    let tries = 0;
    const { thread, messages } = supervise(entry('refused', doing('')), undefined, (heartbeat) => {
      tries++;
      if (tries === 1) throw new RangeError('Array buffer allocation failed');
      return heartbeat;
    });
    thread.start();
    await until(() => messages.length === 1);
    assert.equal(thread.status.restarts, 1);
    assert.match(thread.status.lastFailure ?? '', /allocation failed/);
    await thread.end();
  });

  it('that begins its work when it is to end is not started again', async () => {
    const { thread, messages } = supervise(entry('late', doing('process.exit(0);')));
    thread.start();
    await until(() => messages.length === 1);
    thread.markStopping();
    thread.markRunning();
    thread.post('end');
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual([messages.length, thread.status.restarts], [1, 0]);
    await thread.end();
  });

  it('that was ended stays ended', async () => {
    const { thread, messages } = supervise(entry('calm', doing('')));
    thread.start();
    await until(() => messages.length === 1);
    await thread.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(messages.length, 1);
    assert.equal(thread.status.state, 'stopping');
  });
});
