// The specification's eight rules of POST /api/auth and its messages about logins, word for word, with every
// kind of invalid body. The service reports an invalid body before it hashes anything, so that none counts as
// a failed attempt.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { holdClock } from '../running/held-clock.ts';
import { assertError, at, describe as shown, type WantedError } from '../running/reply.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient } from './support/client.ts';
import {
  bootWithPassword,
  login,
  createApp,
  password,
  openSession,
  byCookie,
  bySid,
} from './support/session.ts';

/** The clock stands still, so that attempts of one test fall into one second. */
const clock = holdClock();
const service = await bootWithPassword({
  env: { ...cheap, ...clock.env, SLUICE_AUTH_MAX_SESSIONS: '100' },
});
after(() => service.stop());
const client = openClient(service);

const missing: WantedError = {
  status: 400,
  key: 'bad_request',
  message: 'No password found in JSON payload',
  hint: null,
};
const wrongType: WantedError = {
  status: 400,
  key: 'bad_request',
  message: "Field password has to be of type 'string'",
  hint: null,
};
const noBody: WantedError = { status: 400, key: 'bad_request', message: 'No request body data' };
const invalid: WantedError = { status: 400, key: 'bad_request', message: 'Invalid request body data' };
const unauthorized: WantedError = { status: 401, key: 'unauthorized', message: 'Unauthorized', hint: null };

const table: readonly (readonly [rule: string, body: unknown, wanted: WantedError])[] = [
  ['3, "missing password": empty object', {}, missing],
  ['3, "missing password": other fields', { totp: '123456' }, missing],
  ['3, "missing password": another spelling', { Password: password }, missing],
  ['4, "`password` not a string": number', { password: 12 }, wrongType],
  ['4, "`password` not a string": null', { password: null }, wrongType],
  ['4, "`password` not a string": boolean', { password: true }, wrongType],
  ['4, "`password` not a string": array', { password: [password] }, wrongType],
  ['4, "`password` not a string": object', { password: { is: password } }, wrongType],
  ['5, "malformed JSON": no body', undefined, noBody],
  ['5, "malformed JSON": a brace', '{', invalid],
  ['5, "malformed JSON": a form', `password=${encodeURIComponent(password)}`, invalid],
  ['5, "malformed JSON": a text', JSON.stringify(password), invalid],
  ['5, "malformed JSON": an array', [{ password }], invalid],
  ['5, "malformed JSON": null', 'null', invalid],
  ['5, "malformed JSON": the key twice', `{"password":"x","password":"${password}"}`, invalid],
  ['5, "malformed JSON": a trailing comma', `{"password":"${password}",}`, invalid],
  ['6, "wrong password": another', { password: 'wrong' }, unauthorized],
  ['6, "wrong password": empty', { password: '' }, unauthorized],
  ['6, "wrong password": one letter more', { password: `${password} ` }, unauthorized],
  ['6, "wrong password": upper case', { password: password.toUpperCase() }, unauthorized],
];

describe('POST /api/auth rules', () => {
  for (const [index, [rule, body, wanted]] of table.entries()) {
    test(`rule ${rule} is refused with ${wanted.status}`, async () => {
      // A new client each time, so that failures of one do not limit another.
      const guest = openClient(service, { from: `127.0.1.${index + 1}` });
      assertError(await guest.send('POST', '/api/auth', { body }), wanted);
    });
  }

  test('rule 1, "the password field may hold the regular password"', async () => {
    assert.equal(at((await login(client, password)).body, 'session', 'message'), 'password correct');
  });

  test('rule 1, "or an application password"', async () => {
    const app = await createApp(service, 'script');
    const reply = await login(client, app.password);
    assert.equal(reply.status, 200, shown(reply));
    assert.equal(at(reply.body, 'session', 'message'), 'app-password correct');
  });

  test('rule 6, "wrong password": the reply has the session object that existing clients read', async () => {
    const reply = await login(openClient(service, { from: '127.0.2.1' }), 'wrong');
    const session = { valid: false, totp: false, sid: null, validity: -1, message: 'password incorrect' };
    assert.deepEqual(at(reply.body, 'session'), session);
  });

  test('rule 6, "wrong password": 401 even if the request has a valid session', async () => {
    const session = await openSession(client);
    const guest = openClient(service, { from: '127.0.0.1' });
    for (const headers of [bySid(session), byCookie(session)]) {
      const reply = await guest.send('POST', '/api/auth', { body: { password: 'wrong' }, headers });
      assertError(reply, unauthorized);
      assert.equal(at(reply.body, 'session', 'valid'), false);
    }
  });

  test('rule 8, "too many attempts per second: 429": five of eight from one address', async () => {
    const guest = openClient(service, { from: '127.0.2.2' });
    const replies = await Promise.all(Array.from({ length: 8 }, () => login(guest, 'wrong')));
    const late = replies.filter(({ status }) => status === 429);
    assert.equal(late.length, 5, replies.map(({ status }) => status).join(' '));
    for (const reply of late) assertError(reply, { status: 429, key: 'rate_limiting' });
  });

  test('POST /api/auth with `totp` as string, number or null gets 200 while 2FA is off', async () => {
    for (const totp of ['123456', 123_456, null]) {
      assert.equal((await login(client, password, totp)).status, 200, String(totp));
    }
  });

  test('POST /api/auth with an unknown field gets 200 and names it in `ignored`', async () => {
    const reply = await client.send('POST', '/api/auth', { body: { password, remember: true } });
    assert.equal(reply.status, 200);
    assert.deepEqual(at(reply.body, 'ignored'), ['remember']);
  });

  test('POST /api/auth reads the body as JSON with any Content-Type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const headers = { 'content-type': type };
      assert.equal(
        (await client.send('POST', '/api/auth', { body: { password }, headers })).status,
        200,
        type,
      );
    }
  });
});

describe('GET /api/auth', () => {
  test('without a SID gets 401 with `error` and `session`', async () => {
    const reply = await client.send('GET', '/api/auth');
    assertError(reply, unauthorized);
    const session = { valid: false, totp: false, sid: null, validity: -1, message: 'no SID provided' };
    assert.deepEqual(at(reply.body, 'session'), session);
  });

  test('with an unknown SID gets 401', async () => {
    const reply = await client.send('GET', '/api/auth', { headers: { 'X-SVC-SID': 'x'.repeat(43) } });
    assertError(reply, unauthorized);
    assert.equal(at(reply.body, 'session', 'message'), 'session unknown');
  });

  test('with a valid SID gets 200 with the session', async () => {
    const session = await openSession(client);
    const reply = await client.send('GET', '/api/auth', { headers: bySid(session) });
    assert.equal(reply.status, 200);
    assert.deepEqual(at(reply.body, 'session'), {
      valid: true,
      totp: false,
      ...session,
      validity: 1800,
      message: 'correct password',
    });
  });

  test('with only the cookie gets 200 with the csrf, which a reloaded page needs', async () => {
    const session = await openSession(client);
    const reply = await client.send('GET', '/api/auth', { headers: { cookie: `sid=${session.sid}` } });
    assert.equal(reply.status, 200, shown(reply));
    assert.equal(at(reply.body, 'session', 'csrf'), session.csrf);
    assert.equal(at(reply.body, 'session', 'sid'), null, 'The cookie is HttpOnly.');
  });
});
