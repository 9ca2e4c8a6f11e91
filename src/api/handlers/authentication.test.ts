import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../auth/caller.ts';
import { Sessions } from '../auth/sessions.ts';
import { type AuthenticationParts, createAuthenticationHandlers } from './authentication.ts';

let nowMs = 0;
const limits = () => ({ maxSessions: 9, validityMs: 1_800_000 });
const sessions = new Sessions({ nowMs: () => nowMs, wallMs: () => nowMs, limits }, [], 0);
const { getAuth } = createAuthenticationHandlers({
  sessions,
  password: { isNone: () => false },
  twoFactor: { isOn: () => false },
  basePath: () => '',
  // GET uses no other part.
} as unknown as AuthenticationParts);

function logIn() {
  const from = { address: 'a', userAgent: null, isTls: false, app: null, credential: '' };
  return sessions.create(from).made ?? assert.fail('There is no free session.');
}

async function sessionSeenBy(caller: Caller) {
  const input = { params: {}, query: {}, body: undefined, ifMatch: undefined };
  const reply = await getAuth({ ...input, caller, from: assert.fail });
  return 'status' in reply && 'session' in reply.body ? reply.body.session : assert.fail('no session');
}

describe('GET /api/auth', () => {
  it('extends the session and then says how long it is valid', async () => {
    const { sid, session } = logIn();
    nowMs += 900_000;
    assert.equal(sessions.validity(session), 900);
    const { validity } = await sessionSeenBy({ kind: 'session', session, sid, way: 'plain' });
    assert.equal(validity, 1800);
  });

  for (const way of ['cookie', 'cookie without token'] as const) {
    it(`shows the csrf token, but not the session id, to a caller with a ${way}`, async () => {
      const { sid, csrf, session } = logIn();
      const seen = await sessionSeenBy({ kind: 'session', session, sid, way });
      assert.deepEqual([seen.valid, seen.sid, seen.csrf], [true, null, csrf]);
    });
  }

  it('shows the session id to a caller that has sent it by header, query or body', async () => {
    const { sid, session } = logIn();
    const seen = await sessionSeenBy({ kind: 'session', session, sid, way: 'plain' });
    assert.equal(seen.sid, sid);
  });
});
