// Two-factor authentication from outside: switched on, used, misused, kept over a restart, switched off. The
// tests compute the tokens themselves. A step lasts 30 s and one step of drift is allowed, so three tokens
// are valid at any moment, each once and only in order. The clock stands still unless a test moves it, so the
// three tokens stay the same as long as a test needs them.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { holdClock } from '../running/held-clock.ts';
import { assertError, at, describe as shown } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient } from './support/client.ts';
import {
  bootWithPassword,
  bySid,
  isSessionValid,
  login,
  createApp,
  password,
  openSession,
  type Session,
} from './support/session.ts';
import { fromBase32, stepAt, tokenOf } from './support/totp.ts';

const stepMs = 30_000;
/** The clock starts at the beginning of a step. */
const clock = holdClock(Math.ceil(Date.now() / stepMs) * stepMs);
/** Sessions last longer than all moves of the clock. */
const env = { ...cheap, ...clock.env, SLUICE_AUTH_VALIDITY_SECONDS: '86400' };
let service = await bootWithPassword({ env });
after(() => service.stop());

const noToken = {
  status: 400,
  key: 'bad_request',
  message: 'No 2FA token found in JSON payload',
  hint: null,
};
const invalid = { status: 401, key: 'unauthorized', message: 'Invalid 2FA token' };
const reused = { status: 401, key: 'unauthorized', message: 'Reused 2FA token', hint: 'wait for new token' };

/** Tokens of the previous, the current and the next step, and one that is invalid. */
type Tokens = {
  readonly previous: string;
  readonly now: string;
  readonly next: string;
  readonly wrong: string;
};

const tokensAt = (key: Buffer, step: number): Tokens => {
  const [previous = '', now = '', next = ''] = [step - 1, step, step + 1].map((one) => tokenOf(key, one));
  const wrong = ['000000', '111111', '222222', '333333'].find((one) => ![previous, now, next].includes(one));
  return { previous, now, next, wrong: wrong ?? '' };
};

const tokensNow = (key: Buffer): Tokens => tokensAt(key, stepAt(clock.nowMs()));

describe('two-factor authentication', { concurrency: 1 }, () => {
  let client = openClient(service, { from: '127.0.0.1' });
  let own: Session;
  let elsewhere: Session;
  let app: Session;
  let appText: string;
  let key: Buffer;
  let tokens: Tokens;

  test('GET /api/auth/totp says that it is off on a new service', async () => {
    own = await openSession(client);
    elsewhere = await openSession(client);
    appText = (await createApp(service, 'script')).password;
    app = await openSession(client, appText);
    const reply = await client.send('GET', '/api/auth/totp', { headers: bySid(own) });
    assert.deepEqual([reply.status, at(reply.body, 'totp')], [200, { enabled: false }]);
  });

  test('PUT /api/auth/totp before POST gets 400, DELETE while it is off gets 404', async () => {
    const ask = { headers: bySid(own), body: { totp: '123456' } };
    assertError(await client.send('PUT', '/api/auth/totp', ask), { status: 400, key: 'bad_request' });
    assertError(await client.send('DELETE', '/api/auth/totp', ask), { status: 404 });
  });

  test('POST /api/auth/totp gets 201 with the secret, an otpauth URI and a QR code', async () => {
    const reply = await client.send('POST', '/api/auth/totp', { headers: bySid(own) });
    assert.equal(reply.status, 201, shown(reply));
    const secret = String(at(reply.body, 'totp', 'secret'));
    assert.match(secret, /^[A-Z2-7]{32}$/, '160 bits, as RFC 4226 section 4 recommends');
    const uri = new URL(String(at(reply.body, 'totp', 'uri')));
    assert.equal(`${uri.protocol}//${uri.host}`, 'otpauth://totp');
    const { searchParams: parameters } = uri;
    assert.deepEqual(
      ['secret', 'algorithm', 'digits', 'period'].map((name) => parameters.get(name)),
      [secret, 'SHA1', '6', '30'],
    );
    assert.match(String(at(reply.body, 'totp', 'qr')), /^<svg [\s\S]*<\/svg>\s*$/);
    key = fromBase32(secret);
  });

  test('a login needs no token while the secret is not confirmed', async () => {
    assert.equal((await login(client, password)).status, 200);
    assertError(await client.send('PUT', '/api/auth/totp', { headers: bySid(own), body: {} }), noToken);
    const wrong = await client.send('PUT', '/api/auth/totp', {
      headers: bySid(own),
      body: { totp: tokensNow(key).wrong },
    });
    assertError(wrong, invalid);
    const { body } = await client.send('GET', '/api/auth/totp', { headers: bySid(own) });
    assert.equal(at(body, 'totp', 'enabled'), false);
  });

  test('PUT /api/auth/totp with a token of the secret switches it on', async () => {
    tokens = tokensNow(key);
    const ask = { headers: bySid(own), body: { totp: tokens.previous } };
    const reply = await client.send('PUT', '/api/auth/totp', ask);
    assert.deepEqual([reply.status, at(reply.body, 'totp')], [200, { enabled: true }], shown(reply));
  });

  test('switching it on ends other sessions of the password, but none of an application', async () => {
    assert.deepEqual(
      [
        await isSessionValid(client, own),
        await isSessionValid(client, elsewhere),
        await isSessionValid(client, app),
      ],
      [true, false, true],
    );
  });

  test('GET /api/auth has `totp: true` without a session and with one', async () => {
    const before = await client.send('GET', '/api/auth');
    assert.deepEqual([before.status, at(before.body, 'session', 'totp')], [401, true]);
    const { body } = await client.send('GET', '/api/auth', { headers: bySid(own) });
    assert.equal(at(body, 'session', 'totp'), true);
  });

  test('a login without a token is refused with 400 and the message of the specification', async () => {
    assertError(await login(client, password), noToken);
    assertError(await login(client, password, null), noToken);
  });

  test('a wrong password is refused with 401 that says nothing about the token', async () => {
    const guest = openClient(service, { from: '127.0.0.2' });
    const replies = [await login(guest, 'wrong'), await login(guest, 'wrong', tokens.now)];
    for (const reply of replies) assertError(reply, { status: 401, message: 'Unauthorized', hint: null });
  });

  test('a login with a wrong token is refused with 401', async () => {
    const guest = openClient(service, { from: '127.0.0.3' });
    const reply = await login(guest, password, tokens.wrong);
    assertError(reply, invalid);
    assert.equal(at(reply.body, 'session', 'valid'), false);
    assertError(await login(guest, password, 'abc'), invalid);
    assertError(await login(guest, password, ''), invalid);
  });

  test('a login with the token that switched it on is refused with 401 as reused', async () => {
    assertError(await login(openClient(service, { from: '127.0.0.4' }), password, tokens.previous), reused);
  });

  test('a login with a correct token as a string gets 200', async () => {
    assert.ok(await isSessionValid(client, await openSession(client, password, tokens.now)));
  });

  test('a login with a used token is refused with 401 as reused', async () => {
    const guest = openClient(service, { from: '127.0.0.5' });
    assertError(await login(guest, password, tokens.now), reused);
    assertError(await login(guest, password, Number(tokens.now)), reused);
  });

  test('of two logins with one token at the same time, one gets 200 and one 401', async () => {
    // A later moment whose token begins with zero, which is lost when the token is sent as a number.
    do clock.advance(stepMs);
    while (!tokensNow(key).now.startsWith('0'));
    tokens = tokensNow(key);
    const attempts = await Promise.all([
      login(client, password, Number(tokens.now)),
      login(openClient(service, { from: '127.0.0.6' }), password, tokens.now),
    ]);
    const statuses = attempts.map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200, 401]));
  });

  test('a login with an application password needs no token', async () => {
    assert.ok(await isSessionValid(client, await openSession(client, appText)));
  });

  test('the log has the failed logins with their reason, and no token', async () => {
    const lines = [
      /Login failed address=127\.0\.0\.3 reason="wrong token"/,
      /Login failed address=127\.0\.0\.5 reason="reused token"/,
    ];
    for (const line of lines) await until(String(line), () => line.exec(service.log()) ?? undefined);
    for (const token of Object.values(tokens))
      assert.doesNotMatch(service.log(), new RegExp(`\\b${token}\\b`));
  });

  test('after a restart it is still on, and a used token is still refused', async () => {
    const { dir } = service;
    await service.stop();
    service = await bootWithPassword({ dir, env });
    client = openClient(service);
    const guest = openClient(service, { from: '127.0.0.7' });
    assertError(await login(guest, password), noToken);
    assertError(await login(guest, password, tokens.now), reused);
    assert.ok(await isSessionValid(client, own), 'the session is still valid');
  });

  test('DELETE /api/auth/totp gets 400 without a token, 401 with a wrong one, else 204', async () => {
    const remove = (body?: unknown) => client.send('DELETE', '/api/auth/totp', { headers: bySid(own), body });
    clock.advance(3 * stepMs);
    tokens = tokensNow(key);
    elsewhere = await openSession(client, password, tokens.previous);
    assertError(await remove(), { status: 400 });
    assertError(await remove({}), noToken);
    assertError(await remove({ totp: true }), noToken);
    assertError(await remove({ totp: tokens.previous }), reused);
    assertError(await remove({ totp: tokens.wrong }), invalid);
    assert.ok(await isSessionValid(client, elsewhere));
    const removed = await remove({ totp: tokens.now });
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assert.deepEqual(
      [await isSessionValid(client, own), await isSessionValid(client, elsewhere)],
      [true, false],
    );
    const reply = await login(client, password);
    assert.deepEqual([reply.status, at(reply.body, 'session', 'totp')], [200, false]);
  });
});
