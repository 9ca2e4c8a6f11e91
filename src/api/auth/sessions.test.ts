import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idleBeforeReclaimMs, Sessions, type Session, type SessionRequest } from './sessions.ts';

function scene(maxSessions = 3, kept: Session[] = [], lastId = 0) {
  const clock = { nowMs: 0, wallMs: 1_000_000 };
  const sessions = new Sessions(
    {
      nowMs: () => clock.nowMs,
      wallMs: () => clock.wallMs,
      limits: () => ({ maxSessions, validityMs: 100_000 }),
    },
    kept,
    lastId,
  );
  return { clock, sessions };
}
function request(change: Partial<SessionRequest> = {}): SessionRequest {
  return {
    address: '192.0.2.1',
    userAgent: 'a browser',
    isTls: false,
    app: null,
    credential: 'c',
    ...change,
  };
}
const app = { id: 1, sudo: false };

describe('a session', () => {
  it('is found by its id until it expires', () => {
    const { clock, sessions } = scene();
    const { made } = sessions.create(request());
    assert.ok(made);
    clock.nowMs = 99_999;
    assert.equal(sessions.find(made.sid)?.id, made.session.id);
    clock.nowMs = 100_000;
    assert.equal(sessions.find(made.sid), undefined);
    assert.deepEqual(sessions.all(), []);
  });

  it('is open until it expires or is ended', () => {
    const { clock, sessions } = scene();
    const [one, other] = [sessions.create(request()).made, sessions.create(request()).made];
    assert.ok(one && other);
    sessions.end(one.session);
    clock.nowMs = 99_999;
    assert.deepEqual(
      [one, other].map(({ session }) => sessions.isOpen(session)),
      [false, true],
    );
    clock.nowMs = 100_000;
    assert.equal(sessions.isOpen(other.session), false);
  });

  it('is extended by each touch', () => {
    const { clock, sessions } = scene();
    const { made } = sessions.create(request());
    assert.ok(made);
    clock.nowMs = 60_000;
    sessions.touch(made.session);
    assert.equal(sessions.validity(made.session), 100);
    clock.nowMs = 159_999;
    assert.ok(sessions.find(made.sid));
  });

  it('keeps its duration when the system clock jumps', () => {
    const { clock, sessions } = scene();
    const { made } = sessions.create(request());
    assert.ok(made);
    for (const wallMs of [0, 10 ** 13]) {
      clock.wallMs = wallMs;
      assert.ok(sessions.find(made.sid));
      assert.equal(sessions.validity(made.session), 100);
    }
  });

  it('is not found after it was ended, and cannot be ended twice', () => {
    const { sessions } = scene();
    const { made } = sessions.create(request());
    assert.ok(made);
    assert.equal(sessions.end(made.session), true);
    assert.equal(sessions.end(made.session), false);
    assert.equal(sessions.find(made.sid), undefined);
  });

  it('gets an id that was never used before, also after a restart', () => {
    const { sessions } = scene(3, [], 41);
    assert.equal(sessions.create(request()).made?.session.id, 42);
  });
});

describe('the limit of sessions', () => {
  it('is the value of the setting', () => {
    const { sessions } = scene(3);
    for (let count = 0; count < 3; count++) assert.ok(sessions.create(request()).made);
    assert.equal(sessions.create(request()).made, undefined);
  });

  it('does not count expired sessions', () => {
    const { clock, sessions } = scene(1);
    sessions.create(request());
    clock.nowMs = 100_000;
    const { made, removed } = sessions.create(request({ address: 'other' }));
    assert.ok(made);
    assert.equal(removed.length, 1);
  });

  const reclaims: readonly (readonly [
    what: string,
    change: Partial<SessionRequest>,
    idleMs: number,
    ok: boolean,
  ])[] = [
    ['the same client after 60 s', {}, idleBeforeReclaimMs, true],
    ['the same client a moment earlier', {}, idleBeforeReclaimMs - 1, false],
    ['another address', { address: '192.0.2.2' }, idleBeforeReclaimMs, false],
    ['another user agent', { userAgent: 'b' }, idleBeforeReclaimMs, false],
  ];
  for (const [what, change, idleMs, ok] of reclaims) {
    it(`when reached: ${what} ${ok ? 'replaces a session' : 'is refused'}`, () => {
      const { clock, sessions } = scene(2);
      sessions.create(request());
      sessions.create(request());
      clock.nowMs = idleMs;
      assert.equal(sessions.create(request(change)).made !== undefined, ok);
      assert.equal(sessions.all().length, 2);
    });
  }

  it('when reached, replaces the session that was used longest ago', () => {
    const { clock, sessions } = scene(2);
    const first = sessions.create(request()).made;
    const second = sessions.create(request()).made;
    assert.ok(first && second);
    clock.nowMs = 10_000;
    sessions.touch(first.session);
    clock.nowMs = 80_000;
    assert.deepEqual(
      sessions.create(request()).removed.map(({ id }) => id),
      [second.session.id],
    );
  });

  it('when reached, does not replace a regular session by that of an application of the same client', () => {
    const { clock, sessions } = scene(3);
    const person = sessions.create(request()).made;
    for (let count = 0; count < 2; count++) assert.ok(sessions.create(request({ app })).made);
    clock.nowMs = idleBeforeReclaimMs;
    const { removed } = sessions.create(request({ app }));
    assert.ok(removed.every(({ app: made }) => made !== null));
    assert.ok(person && sessions.find(person.sid));
  });

  it('is one lower for applications, so that a person can log in', () => {
    const { sessions } = scene(3);
    for (let count = 0; count < 2; count++) assert.ok(sessions.create(request({ app })).made);
    assert.equal(sessions.create(request({ app })).made, undefined);
    assert.ok(sessions.create(request()).made);
  });
});
