import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '#platform/log';
import { createAttempts } from './attempts.ts';
import { login, type LoginParts } from './login.ts';
import { createHashingGate } from './hashing-gate.ts';
import { Sessions } from './sessions.ts';

const from = { address: '192.0.2.1', userAgent: null, isTls: false };

/** The parts of a login with the password `right`; `whileHashing` runs before each hash is done. */
function setUp(whileHashing: () => void = () => undefined) {
  const state = { credential: 'old', hashes: 0 };
  const lines: string[] = [];
  const parts: LoginParts = {
    password: {
      isNone: () => false,
      matches: async (password) => {
        state.hashes++;
        whileHashing.call(undefined);
        return password === 'right';
      },
      credential: () => state.credential,
    },
    twoFactor: {
      isOn: () => false,
      start: () => assert.fail(),
      confirm: () => assert.fail(),
      check: () => assert.fail(),
      remove: () => assert.fail(),
    },
    sessions: new Sessions(
      { nowMs: () => 0, wallMs: () => 0, limits: () => ({ maxSessions: 4, validityMs: 1_000 }) },
      [],
      0,
    ),
    attempts: createAttempts(),
    gate: createHashingGate(),
    findApp: async () => undefined,
    onLogin: async () => undefined,
    nowMs: () => 0,
    log: createLog({
      thread: 'api',
      level: () => 'info',
      format: 'text',
      nowMs: () => 0,
      write: (line) => void lines.push(line),
    }),
  };
  return { state, parts, lines };
}

describe('login', () => {
  it('computes exactly one hash for a right and for a wrong password', async () => {
    for (const password of ['right', 'wrong']) {
      const { state, parts } = setUp();
      await login(parts, { password, totp: undefined }, from);
      assert.equal(state.hashes, 1);
    }
  });

  it('fails when the password changes during the check', async () => {
    const { state, parts } = setUp(() => (state.credential = 'new'));
    const outcome = await login(parts, { password: 'right', totp: undefined }, from);
    assert.equal(outcome.outcome, 'wrong password');
    assert.deepEqual(parts.sessions.all(), []);
  });

  it('logs one line with the address, without the password, when it fails', async () => {
    const { parts, lines } = setUp();
    await login(parts, { password: 'hunter2', totp: undefined }, from);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /warn {2}api: Login failed address=192\.0\.2\.1 reason="wrong password"\n$/);
  });

  it('is refused after three failures; successful logins do not count', async () => {
    const { parts } = setUp();
    const attempt = async (password: string) =>
      (await login(parts, { password, totp: undefined }, from)).outcome;
    for (let count = 0; count < 3; count++) assert.equal(await attempt('right'), 'logged in');
    for (let count = 0; count < 3; count++) assert.equal(await attempt('wrong'), 'wrong password');
    assert.equal(await attempt('right'), 'rate limited');
  });

  const flooded = [
    { who: 'an unknown address of the same network', address: '192.0.2.99', outcome: 'rate limited' },
    { who: 'a known address of the same network', address: '192.0.2.1', outcome: 'logged in' },
    { who: 'an unknown address of another network', address: '198.51.100.1', outcome: 'logged in' },
  ];
  for (const { who, address, outcome } of flooded) {
    it(`from ${who} during a flood of wrong passwords: ${outcome}`, async () => {
      const { parts } = setUp();
      await login(parts, { password: 'right', totp: undefined }, from);
      for (let host = 10; host < 40; host++) {
        await login(parts, { password: 'wrong', totp: undefined }, { ...from, address: `192.0.2.${host}` });
      }
      const reply = await login(parts, { password: 'right', totp: undefined }, { ...from, address });
      assert.equal(reply.outcome, outcome);
    });
  }

  it('from a network over its limit does not wait for the hashing gate', async () => {
    const { parts } = setUp();
    for (let host = 10; host < 30; host++)
      await login(parts, { password: 'wrong', totp: undefined }, { ...from, address: `192.0.2.${host}` });
    const closed = { ...parts, gate: () => assert.fail('The attempt waits for the gate.') };
    const reply = await login(closed, { password: 'right', totp: undefined }, from);
    assert.equal(reply.outcome, 'rate limited');
  });

  it('with an application password is not delayed by a flood from its network', async () => {
    const { parts } = setUp();
    const app = { id: 1, name: 'dashboard', sudo: false, created: 0, last_used: null };
    for (let host = 10; host < 40; host++) {
      await login(parts, { password: 'wrong', totp: undefined }, { ...from, address: `192.0.2.${host}` });
    }
    const withApp = { ...parts, findApp: async () => app };
    assert.equal((await login(withApp, { password: 'app', totp: undefined }, from)).outcome, 'logged in');
  });

  it('followed by logout, a thousand times, leaves no session', async () => {
    const { parts } = setUp();
    const sids = new Set<string>();
    for (let count = 0; count < 1_000; count++) {
      const outcome = await login(parts, { password: 'right', totp: undefined }, from);
      assert.ok(outcome.outcome === 'logged in');
      sids.add(outcome.sid);
      parts.sessions.end(outcome.session);
    }
    assert.equal(sids.size, 1_000);
    assert.deepEqual(parts.sessions.all(), []);
  });
});
