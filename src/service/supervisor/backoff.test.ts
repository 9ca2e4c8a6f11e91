import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBackoff } from './backoff.ts';

describe('the backoff', () => {
  it('is zero at first, then doubles up to its limit', () => {
    const backoff = createBackoff();
    const delays = Array.from({ length: 10 }, () => backoff.next(0));
    assert.deepEqual(delays, [0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('is zero again for a thread that ran for a minute', () => {
    const backoff = createBackoff();
    backoff.next(0);
    backoff.next(59_999);
    assert.equal(backoff.next(59_999), 200);
    assert.equal(backoff.next(60_000), 0);
  });
});
