import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorText } from './error-text.ts';
import { SerialQueue } from './serial-queue.ts';

describe('a serial queue', () => {
  it('starts a task when the one before has ended', async () => {
    const queue = new SerialQueue();
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const one = queue.run(async () => {
      events.push('one begins');
      await first.promise;
      events.push('one ends');
    });
    const two = queue.run(async () => events.push('two'));
    await Promise.resolve();
    first.resolve();
    await Promise.all([one, two]);
    assert.deepEqual(events, ['one begins', 'one ends', 'two']);
  });

  it('rejects a failed task for its caller, and runs the next', async () => {
    const queue = new SerialQueue();
    const failed = queue.run(async () => Promise.reject(new Error('no disk')));
    const next = queue.run(async () => 'done');
    await assert.rejects(failed, /no disk/);
    assert.equal(await next, 'done');
  });

  it('is idle when all tasks have ended, also after a failure', async () => {
    const queue = new SerialQueue();
    let isDone = false;
    queue.run(async () => Promise.reject(new Error('no disk'))).catch(() => undefined);
    void queue.run(async () => (isDone = true));
    await queue.idle();
    assert.ok(isDone);
  });
});

describe('errorText', () => {
  for (const [what, thrown, text] of [
    ['an error', new Error('no disk'), 'no disk'],
    ['a string', 'no disk', 'no disk'],
    ['undefined', undefined, 'undefined'],
  ] as const)
    it(`of ${what} is ${text}`, () => assert.equal(errorText(thrown), text));
});
