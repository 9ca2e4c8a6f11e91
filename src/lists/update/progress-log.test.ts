import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProgressLog } from './progress-log.ts';

async function readAll<R>(log: ProgressLog<R>): Promise<readonly [readonly string[], R]> {
  const reader = log.read();
  const texts: string[] = [];
  for (;;) {
    const next = await reader.next();
    if (next.done === true) return [texts, next.value];
    texts.push(next.value);
  }
}

describe('the log of an update', () => {
  it('is read from its beginning by every reader, also by late ones', async () => {
    const log = new ProgressLog<number>();
    const early = readAll(log);
    log.add('one');
    await Promise.resolve();
    const late = readAll(log);
    log.add('two');
    setImmediate(() => log.end(7));
    const whole = [['one', 'two'], 7];
    assert.deepEqual([await early, await late, await readAll(log)], [whole, whole, whole]);
  });

  it('is limited, and its last text says how many messages were dropped', async () => {
    const log = new ProgressLog<string>(2);
    for (const text of ['one', 'two', 'three', 'four']) log.add(text);
    log.end('done');
    assert.deepEqual(await readAll(log), [['one', 'two', '2 further messages were dropped'], 'done']);
  });
});
