import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAttempts, failuresPerSecond, failuresPerSecondOverall } from './attempts.ts';
import { createHashingGate } from './hashing-gate.ts';

describe('failed logins', () => {
  it(`of one address are ${failuresPerSecond} in a second`, () => {
    const attempts = createAttempts();
    for (let count = 0; count < failuresPerSecond; count++) {
      assert.equal(attempts.mayTry('a', 0), true);
      attempts.failed('a', 0);
    }
    assert.equal(attempts.mayTry('a', 999), false);
    assert.equal(attempts.mayTry('b', 999), true);
    assert.equal(attempts.mayTry('a', 1_000), true);
  });

  it(`over all are ${failuresPerSecondOverall} in a second`, () => {
    const attempts = createAttempts();
    for (let count = 0; count < failuresPerSecondOverall; count++) attempts.failed(`a${count}`, 0);
    assert.equal(attempts.mayTry('somebody else', 999), false);
    assert.equal(attempts.mayTry('somebody else', 1_000), true);
  });

  it('of a million addresses take bounded memory', () => {
    const attempts = createAttempts();
    for (let count = 0; count < 5_000; count++) attempts.failed(`a${count}`, count * 1_001);
    assert.equal(attempts.mayTry('a4999', 4_999 * 1_001), true);
  });
});

describe('the hashing gate', () => {
  it('lets two work at once, eight wait, and refuses the rest', async () => {
    const gate = createHashingGate();
    let atOnce = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const work = async (): Promise<string> => {
      most = Math.max(most, ++atOnce);
      await release.promise;
      atOnce--;
      return 'done';
    };
    const all = Array.from({ length: 12 }, () => gate(work));
    release.resolve();
    const results = await Promise.all(all);
    assert.equal(most, 2);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [...Array.from({ length: 10 }, () => true), false, false],
    );
  });

  it('frees its place when the work throws', async () => {
    const gate = createHashingGate();
    for (let count = 0; count < 20; count++) {
      await assert.rejects(gate(() => Promise.reject(new Error('x'))));
    }
    assert.deepEqual(await gate(async () => 1), { ok: true, value: 1 });
  });
});
