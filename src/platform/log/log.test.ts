import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogLevel } from './log-level.ts';
import { createLog } from './log.ts';

function lines(
  format: 'text' | 'json',
  level: LogLevel,
  use: (log: ReturnType<typeof createLog>) => void,
): string {
  let written = '';
  const write = (line: string): void => void (written += line);
  use(createLog({ thread: 'api', level: () => level, format, nowMs: () => 0, write }));
  return written;
}

describe('the log', () => {
  it('writes one line in the format text', () => {
    const text = lines('text', 'info', (log) =>
      log.warn('something', { count: 3, name: 'with blanks', id: 'a1' }),
    );
    assert.equal(text, '1970-01-01T00:00:00.000Z warn  api: something count=3 name="with blanks" id=a1\n');
  });

  it('writes one object in the format json', () => {
    const text = lines('json', 'info', (log) => log.error('bad', { where: 'here' }));
    assert.deepEqual(JSON.parse(text), {
      time: '1970-01-01T00:00:00.000Z',
      level: 'error',
      thread: 'api',
      message: 'bad',
      where: 'here',
    });
  });

  it('omits lines below the level', () => {
    const all = (log: ReturnType<typeof createLog>): void => {
      log.error('e');
      log.warn('w');
      log.info('i');
      log.debug('d');
    };
    const counts = (['error', 'warn', 'info', 'debug'] as const).map(
      (level) => lines('text', level, all).trim().split('\n').length,
    );
    assert.deepEqual(counts, [1, 2, 3, 4]);
  });

  it('writes one line for a text with line breaks', () => {
    for (const format of ['text', 'json'] as const) {
      const text = lines(format, 'info', (log) => log.info('a\nb\r\u001b[2J', { c: 'd\ne' }));
      assert.equal(text.split('\n').length, 2);
      assert.ok(!text.includes('\u001b'));
    }
  });
});
