// The specification's session object, its envelope and its states, with a test for each statement: the result
// of a login, what extends a session and what ends it. Words in quotation marks are the specification's. The
// clock stands still unless a test moves it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { holdClock } from '../running/held-clock.ts';
import { assertEnvelope, assertError, at } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import {
  bootWithPassword,
  byCookie,
  bySid,
  isSessionValid,
  login,
  password,
  openSession,
  type Session,
} from './support/session.ts';

const clock = holdClock();
const service = await bootWithPassword({
  env: { ...clock.env, SLUICE_AUTH_VALIDITY_SECONDS: '60', SLUICE_AUTH_MAX_SESSIONS: '100' },
});
after(() => service.stop());
const client = openClient(service);
const reply = await login(client, password);
const returned = at(reply.body, 'session');

describe('session object, "returned by POST /api/auth, under the key `session`"', () => {
  const fields: readonly (readonly [field: string, type: string])[] = [
    ['valid', 'boolean'],
    ['totp', 'boolean'],
    ['sid', 'string'],
    ['csrf', 'string'],
    ['validity', 'number'],
    ['message', 'string'],
  ];
  for (const [field, type] of fields) {
    test(`"${field}" is a ${type}`, () => assert.equal(typeof at(returned, field), type));
  }

  test('there are no other fields', () => {
    assert.deepEqual(Object.keys(Object(returned)).toSorted(), fields.map(([field]) => field).toSorted());
  });

  test('"valid: whether the session is valid"', () => assert.equal(at(returned, 'valid'), true));

  test('"totp: whether two-factor authentication (TOTP) is enabled on the service"', () =>
    assert.equal(at(returned, 'totp'), false));

  test('"sid: opaque, cryptographically secure random source": 128 bits or more, base64url', () => {
    assert.match(String(at(returned, 'sid')), /^[A-Za-z0-9_-]{22,}$/);
  });

  test('"sid: never reused; new for each session", and so is the csrf', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(client)));
    assert.equal(new Set(sessions.map(({ sid }) => sid)).size, sessions.length);
    assert.equal(new Set(sessions.map(({ csrf }) => csrf)).size, sessions.length);
    assert.ok(sessions.every(({ sid, csrf }) => sid !== csrf));
  });

  test('"csrf: CSRF token belonging to the session": that of another session is refused', async () => {
    const [one, other] = [await openSession(client), await openSession(client)];
    const mixed = byCookie({ sid: one.sid, csrf: other.csrf });
    assertError(await client.send('GET', '/api/groups', { headers: mixed }), { status: 401 });
    assert.equal((await client.send('GET', '/api/groups', { headers: byCookie(one) })).status, 200);
  });

  test('"validity: seconds until the session expires"', () => assert.equal(at(returned, 'validity'), 60));
});

describe('authentication response envelope', () => {
  test('"session" and "took", nothing else', () => {
    assert.deepEqual(Object.keys(Object(reply.body)).toSorted(), ['session', 'took']);
  });

  const failures: readonly (readonly [name: string, body: unknown, status: number])[] = [
    ['no password', {}, 400],
    ['a password of the wrong type', { password: 1 }, 400],
    ['malformed JSON', '{"password":', 400],
    ['a wrong password', { password: 'wrong' }, 401],
  ];
  for (const [name, body, status] of failures) {
    test(`"error replies from the authentication endpoint also carry \`took\`": ${name}`, async () => {
      const failed = await client.send('POST', '/api/auth', { body });
      assert.equal(failed.status, status);
      assertEnvelope(failed);
    });
  }
});

describe('states and transitions', () => {
  test('"none, correct password -> valid session: 200 with sid, csrf and validity"', async () => {
    assert.ok(await isSessionValid(client, await openSession(client)));
  });

  test('"none, wrong password -> none: 401"', async () => {
    const failed = await login(client, 'not the password');
    assert.equal(failed.status, 401);
    assert.equal(at(failed.body, 'session', 'sid'), null);
    assert.equal(failed.headers['set-cookie'], undefined);
  });

  test('"valid session, any successful authenticated request: the lifespan is extended"', async () => {
    const session = await openSession(client);
    const endsAt = await validUntil(session);
    clock.advance(2_000);
    assert.equal(await secondsLeft(session), 60, 'the remaining seconds after this request');
    assert.equal(await validUntil(session), endsAt + 2);
  });

  test('a failed request does not extend the lifespan', async () => {
    const session = await openSession(client);
    const endsAt = await validUntil(session);
    clock.advance(2_000);
    for (const path of ['/api/groups/absent', '/api/auth/session/x', '/api/none']) {
      const { status } = await client.send('DELETE', path, { headers: bySid(session) });
      assert.equal(status, path === '/api/auth/session/x' ? 400 : 404, path);
    }
    assert.equal(await validUntil(session), endsAt);
  });

  test('"valid session, DELETE /api/auth -> invalidated: 410 with no body"', async () => {
    const session = await openSession(client);
    const gone = await client.send('DELETE', '/api/auth', { headers: bySid(session) });
    assert.deepEqual([gone.status, gone.text], [410, '']);
    assert.equal(await isSessionValid(client, session), false);
    assertError(await client.send('DELETE', '/api/auth', { headers: bySid(session) }), { status: 401 });
  });

  test('a second login opens a second session and keeps the first', async () => {
    const first = await openSession(client);
    const second = await login(client, password);
    assert.notEqual(at(second.body, 'session', 'sid'), first.sid);
    assert.ok(await isSessionValid(client, first));
  });
});

async function secondsLeft(session: Session): Promise<unknown> {
  const { body } = await client.send('GET', '/api/auth', { headers: bySid(session) });
  return at(body, 'session', 'validity');
}

/** When the request arrived: the list of sessions shows the state before its own request. */
async function validUntil(session: Session): Promise<number> {
  const { body } = await client.send('GET', '/api/auth/sessions', { headers: bySid(session) });
  const own = Object.values(Object(at(body, 'sessions'))).find((row) => at(row, 'current_session') === true);
  return Number(at(own, 'valid_until'));
}
