import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxChecks, maxSilentChecks, SuccessorTimeout } from './successor-timeout.ts';

/** The number of checks until the timeout, and its reason, with a message every `messageEvery` checks. */
function checksUntilTimeout(messageEvery: number): readonly [number, string] {
  const timeout = new SuccessorTimeout();
  for (let checks = 1; ; checks++) {
    if (checks % messageEvery === 0) timeout.onMessage();
    const problem = timeout.check();
    if (problem !== undefined) return [checks, problem];
  }
}

describe('the timeout of a successor', () => {
  it('is 30 s without a message', () => {
    const [checks, problem] = checksUntilTimeout(Infinity);
    assert.equal(checks, maxSilentChecks + 1);
    assert.match(problem, /no sign of life for 30 s/);
  });

  it('is ten minutes with a message every 30 s', () => {
    const [checks, problem] = checksUntilTimeout(maxSilentChecks);
    assert.equal(checks, maxChecks + 1);
    assert.match(problem, /not ready after 10 minutes/);
  });
});
