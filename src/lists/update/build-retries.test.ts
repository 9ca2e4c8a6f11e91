import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BuildRetries } from './build-retries.ts';

const minuteMs = 60_000;

function retriesAt(random: number) {
  const clock = { nowMs: 5_000_000 };
  return { clock, retries: new BuildRetries({ nowMs: () => clock.nowMs, random: () => random }) };
}

describe('a retry of a failed compilation', () => {
  it('is due with exponential backoff, up to an hour', () => {
    const { clock, retries } = retriesAt(0.5);
    assert.equal(retries.isDue(), false, 'nothing has failed');
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const text = retries.noteFailed();
      assert.match(text, minutes === 1 ? /about a minute/u : new RegExp(`about ${minutes} minutes`, 'u'));
      clock.nowMs += minutes * minuteMs - 1;
      assert.equal(retries.isDue(), false, `before ${minutes} minutes`);
      clock.nowMs += 1;
      assert.equal(retries.isDue(), true, `after ${minutes} minutes`);
    }
  });

  it('starts again with the first backoff after a success', () => {
    const { clock, retries } = retriesAt(0.5);
    for (let failures = 0; failures < 5; failures++) retries.noteFailed();
    retries.noteBuilt();
    clock.nowMs += 60 * minuteMs;
    assert.equal(retries.isDue(), false);
    assert.match(retries.noteFailed(), /about a minute/u);
  });

  it('has ±10 % jitter', () => {
    const waits = [0, 0.999].map((random) => {
      const { clock, retries } = retriesAt(random);
      const from = clock.nowMs;
      retries.noteFailed();
      while (!retries.isDue()) clock.nowMs += 1000;
      return clock.nowMs - from;
    });
    assert.deepEqual(waits, [54_000, 66_000]);
  });

  it('is due at once when the clock was set back', () => {
    const { clock, retries } = retriesAt(0.5);
    retries.noteFailed();
    clock.nowMs -= 1;
    assert.equal(retries.isDue(), true);
  });
});
