// The newest lines of a log: numbers continue for ever, the oldest lines are dropped, long ones are cut, and
// threads that write at the same time corrupt nothing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { limits } from '#contract';
import { createLog } from './log.ts';
import { LogRing } from './log-ring.ts';
import { ShownLogs } from './shown-logs.ts';

function texts(ring: LogRing, from: number): readonly string[] {
  return ring.read(from).map(({ text }) => text);
}

describe('a ring of lines', () => {
  test('numbers its lines and drops the oldest', () => {
    const ring = new LogRing(3, 10);
    assert.deepEqual([ring.next, texts(ring, 0)], [0, []]);
    for (const text of ['a', 'b', 'c', 'd', 'e']) ring.add(1, 2, text);
    assert.equal(ring.next, 5);
    for (const [from, wanted] of [
      [0, 'cde'],
      [2, 'cde'],
      [3, 'de'],
      [4, 'e'],
      [5, ''],
      [99, ''],
    ] as const)
      assert.equal(texts(ring, from).join(''), wanted, String(from));
    assert.deepEqual(ring.read(4), [{ timeMs: 1, mark: 2, text: 'e' }]);
  });

  test('cuts a line that is too long', () => {
    const ring = new LogRing(2, 5);
    ring.add(1, 0, 'ä€𝄞x');
    ring.add(1, 0, '1234567');
    assert.deepEqual(texts(ring, 0), ['ä€𝄞x', '12345']);
  });

  test('a second ring continues in the same memory', () => {
    const ring = new LogRing(3, 10);
    ring.add(1, 0, 'a');
    const other = new LogRing(3, 10, ring.memory);
    other.add(2, 0, 'b');
    assert.deepEqual([texts(ring, 0), ring.next], [['a', 'b'], 2]);
  });

  test('a writer that is overtaken by a whole round tears no line of the others', () => {
    const ring = new LogRing(3, 10);
    const seen: string[] = [];
    const slow = {
      length: 3,
      charCodeAt(at: number): number {
        if (at === 1) for (let line = 0; line < 3; line++) ring.add(line, 0, 'bbb');
        if (at === 2) seen.push(...texts(ring, 0));
        return 0x61;
      },
    };
    // It stands for a thread that is stopped in the middle of writing, after it has read a part of the text.
    ring.add(0, 0, slow as unknown as string);
    assert.deepEqual(seen, ['bbb', 'bbb']);
    for (const line of ['1', '2', '3']) ring.add(0, 0, line);
    assert.deepEqual(texts(ring, 0), ['1', '2', '3']);
  });

  test('two threads write, one reads: no line is torn, and all are counted', async () => {
    const ring = new LogRing(64, 40);
    /** Both writers wait in the middle until the reader has read: it reads while they write. */
    const hasRead = new Int32Array(new SharedArrayBuffer(4));
    const module = new URL('./log-ring.ts', import.meta.url).href;
    const program = `
      const { workerData } = await import('node:worker_threads');
      const { LogRing } = await import('${module}');
      const ring = new LogRing(64, 40, workerData.memory);
      for (let i = 0; i < 20000; i++) {
        if (i === 10000) Atomics.wait(workerData.hasRead, 0, 0);
        ring.add(i, i % 4, workerData.letter.repeat(1 + (i % 40)));
      }
    `;
    const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    const workers = ['a', 'b'].map(
      (letter) => new Worker(url, { workerData: { memory: ring.memory, letter, hasRead } }),
    );
    const ended = Promise.all(workers.map((worker) => once(worker, 'exit')));
    const all = 40_000;
    let seen = 0;
    while (ring.next < all) {
      for (const { timeMs, mark, text } of ring.read(0)) {
        seen++;
        assert.deepEqual([text.length, mark], [1 + (timeMs % 40), timeMs % 4], text);
        assert.match(text, /^(a+|b+)$/);
      }
      if (seen > 0) Atomics.store(hasRead, 0, 1);
      Atomics.notify(hasRead, 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    assert.equal(ring.next, all);
    for (let line = 0; line < 64; line++) ring.add(line, line % 4, 'a');
    assert.equal(ring.read(0).length, 64, 'every slot can be written again');
  });
});

test('each line is in the logs of its thread', () => {
  const logs = new ShownLogs();
  const create = (thread: string) =>
    createLog({
      thread,
      level: () => 'info',
      format: 'json',
      nowMs: () => 7,
      write: () => undefined,
      shown: logs,
    });
  const main = create('main');
  main.info('Starting', { data: '/x y' });
  main.warn('An upstream is down', { thread: 'dns1' });
  main.debug('not wanted');
  create('api').error('a\nb');
  const shown = (name: 'ftl' | 'dnsmasq' | 'webserver') =>
    new ShownLogs(logs.memory).read(name, 0).lines.map(({ level, text }) => `${level} ${text}`);
  assert.deepEqual(shown('ftl'), [
    'info main: Starting data="/x y"',
    'warn main: An upstream is down thread=dns1',
    'error api: a b',
  ]);
  assert.deepEqual(shown('dnsmasq'), ['warn main: An upstream is down thread=dns1']);
  assert.deepEqual(shown('webserver'), ['error api: a b']);
  for (let count = 0; count < limits.logLines; count++) main.info('x'.repeat(300));
  const { next, lines } = logs.read('ftl', 0);
  assert.deepEqual(
    [next, lines.length, lines[0]?.text.length],
    [limits.logLines + 3, limits.logLines, limits.logLineLength],
  );
});
