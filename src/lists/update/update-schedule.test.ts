import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffMs, nextUpdateMs } from './update-schedule.ts';

const day = 86_400_000;
const minute = 60_000;
const now = 1000 * day;

describe('the next update', () => {
  const rows: readonly (readonly [string, number | undefined, number, number, number])[] = [
    ['at once when there was none', undefined, 0, 0.5, now],
    ['a day after the last one', now, 0, 0.5, now + day],
    ['up to 10 % earlier, by jitter', now, 0, 0, now + 0.9 * day],
    ['up to 10 % later, by jitter', now, 0, 0.999, now + 1.0998 * day],
    ['at once when it was missed', now - 3 * day, 0, 0.5, now],
    ['soon after a failure', now, 1, 0.5, now + 5 * minute],
    ['with a longer backoff after the third failure', now, 3, 0.5, now + 20 * minute],
    ['never later than without failures', now, 100, 0.5, now + day],
    ['at once when the clock was set back by years', now + 400 * day, 0, 0.5, now],
  ];
  for (const [title, lastMs, failures, random, expected] of rows) {
    it(`is due ${title}`, () => {
      assert.equal(nextUpdateMs({ lastMs, failures, intervalMs: day }, random, now), expected);
    });
  }

  it('doubles the backoff between attempts, with ±10 % jitter', () => {
    assert.deepEqual(
      [1, 2, 3].map((attempt) => backoffMs(attempt, 1000, 0)),
      [900, 1800, 3600],
    );
  });
});
