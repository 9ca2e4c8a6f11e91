import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAttempts, FAILURES_PER_SECOND, NETWORK_FAILURES_PER_SECOND } from './attempts.ts';
import { createHashingGate, type GateQueue } from './hashing-gate.ts';

describe('failed logins', () => {
  it(`of one address are limited to ${FAILURES_PER_SECOND} a second`, () => {
    const attempts = createAttempts();
    for (let count = 0; count < FAILURES_PER_SECOND; count++) {
      assert.equal(attempts.mayTry('192.0.2.1', 0), true);
      attempts.countFailure('192.0.2.1', 0);
    }
    assert.equal(attempts.mayTry('192.0.2.1', 999), false);
    assert.equal(attempts.mayTry('192.0.2.2', 999), true);
    assert.equal(attempts.mayTry('192.0.2.1', 1_000), true);
  });

  const networks = [
    { name: 'an IPv4 /24', member: '192.0.2.', same: '192.0.2.200', other: '192.0.3.1' },
    { name: 'an IPv6 /64', member: 'fd00:0:0:1::', same: 'fd00:0:0:1:ffff::1', other: 'fd00:0:0:2::1' },
  ];
  for (const { name, member, same, other } of networks) {
    it(`of ${name} are limited to ${NETWORK_FAILURES_PER_SECOND} a second; other networks are not`, () => {
      const attempts = createAttempts();
      for (let count = 0; count < NETWORK_FAILURES_PER_SECOND; count++) {
        assert.equal(attempts.mayNetworkTry(same, 0), true);
        attempts.countFailure(`${member}${count}`, 0);
      }
      assert.equal(attempts.mayNetworkTry(same, 999), false);
      assert.equal(attempts.mayNetworkTry(other, 999), true);
      assert.equal(attempts.mayNetworkTry(same, 1_000), true);
    });
  }

  it('that are withdrawn do not count', () => {
    const attempts = createAttempts();
    for (let count = 0; count < 50; count++) attempts.countFailure('192.0.2.1', 0)();
    assert.equal(attempts.mayTry('192.0.2.1', 0), true);
    assert.equal(attempts.mayNetworkTry('192.0.2.1', 0), true);
  });

  it('of more addresses than the limit drop the address with the oldest failure', () => {
    const attempts = createAttempts();
    for (let count = 0; count < FAILURES_PER_SECOND; count++) attempts.countFailure('first', 0);
    for (let count = 0; count < 999; count++) attempts.countFailure(`a${count}`, 0);
    assert.equal(attempts.mayTry('first', 0), false);
    attempts.countFailure('one more', 0);
    assert.equal(attempts.mayTry('first', 0), true);
  });
});

describe('the hashing gate', () => {
  it('runs two attempts at once, queues eight, and refuses the rest', async () => {
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
    const all = Array.from({ length: 12 }, () => gate('unknown', 'one', work));
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
      await assert.rejects(gate('unknown', 'one', () => Promise.reject(new Error('x'))));
    }
    assert.deepEqual(await gate('unknown', 'one', async () => 1), { ok: true, value: 1 });
  });

  it('runs attempts from known addresses first, also while the other queue is full', async () => {
    const gate = createHashingGate();
    const done: GateQueue[] = [];
    const release = Promise.withResolvers<void>();
    const work = (queue: GateQueue) => async (): Promise<void> => {
      await release.promise;
      done.push(queue);
    };
    const unknown = Array.from({ length: 11 }, () => gate('unknown', 'one', work('unknown')));
    const known = gate('known', 'one', work('known'));
    release.resolve();
    assert.deepEqual(await known, { ok: true, value: undefined });
    const refused = (await Promise.all(unknown)).filter(({ ok }) => !ok).length;
    assert.equal(refused, 1);
    // Two attempts were running before it.
    assert.equal(done.indexOf('known'), 2);
  });

  it('with a full queue, replaces an attempt of the network with the most waiting attempts', async () => {
    const gate = createHashingGate();
    const release = Promise.withResolvers<void>();
    const attempt = (network: string) => gate('unknown', network, () => release.promise);
    const flood = Array.from({ length: 10 }, () => attempt('flood'));
    const other = attempt('other');
    release.resolve();
    assert.deepEqual(await other, { ok: true, value: undefined });
    const ended = await Promise.all(flood);
    assert.deepEqual(
      ended.map(({ ok }) => ok),
      [...Array.from({ length: 9 }, () => true), false],
    );
  });

  it('with a full queue, refuses a new attempt when no network has more waiting attempts', async () => {
    const gate = createHashingGate();
    const release = Promise.withResolvers<void>();
    const attempt = (network: string) => gate('unknown', network, () => release.promise);
    const first = Array.from({ length: 10 }, (_, index) => attempt(`network ${index}`));
    const late = attempt('late');
    assert.deepEqual(await late, { ok: false });
    release.resolve();
    assert.ok((await Promise.all(first)).every(({ ok }) => ok));
  });
});
