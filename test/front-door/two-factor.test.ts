// Two-factor authentication from outside: switched on, used, misused, switched off. The tokens are computed
// by the tests themselves. A step lasts 30 s and one step of drift is allowed, so at any moment three tokens
// are good, each once and only in their order; the tests live on these three.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor } from '../running/boot.ts';
import { assertError, at, describe as shown } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client } from './support/client.ts';
import {
  bootWithPassword,
  bySid,
  isSeated,
  login,
  makeApp,
  password,
  quick,
  takeSeat,
  type Seat,
} from './support/seat.ts';
import { fromBase32, stepAt, tokenOf } from './support/totp.ts';

const services = await Promise.all([bootWithPassword({ env: cheap }), bootWithPassword({ env: cheap })]);
const [service, other] = services;
after(() => other.stop());
after(() => (service.hasEnded() ? undefined : service.stop()));

const noToken = {
  status: 400,
  key: 'bad_request',
  message: 'No 2FA token found in JSON payload',
  hint: null,
};
const invalid = { status: 401, key: 'unauthorized', message: 'Invalid 2FA token' };
const reused = { status: 401, key: 'unauthorized', message: 'Reused 2FA token', hint: 'wait for new token' };

/** Tokens of the step before, of this one, and of the next. */
type Tokens = { readonly previous: string; readonly now: string; readonly next: string };

describe('switching it on and using it', { concurrency: 1 }, () => {
  const client = openClient(service, { from: '127.0.0.1' });
  let own: Seat;
  let elsewhere: Seat;
  let app: Seat;
  let appText: string;
  let tokens: Tokens;

  test('it is off at first', async () => {
    own = await takeSeat(client);
    elsewhere = await takeSeat(client);
    appText = (await makeApp(service, 'script')).password;
    app = await takeSeat(client, appText);
    const reply = await client.send('GET', '/api/auth/totp', { headers: bySid(own) });
    assert.deepEqual([reply.status, at(reply.body, 'totp')], [200, { enabled: false }]);
  });

  test('PUT without a secret that waits is 400', async () => {
    const ask = { headers: bySid(own), body: { totp: '123456' } };
    assertError(await client.send('PUT', '/api/auth/totp', ask), { status: 400, key: 'bad_request' });
  });

  test('POST is 201 with secret, otpauth URI and QR code', async () => {
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
  });

  test('a secret that waits does not count yet', async () => {
    assert.equal((await login(client, password)).status, 200);
    assertError(await client.send('PUT', '/api/auth/totp', { headers: bySid(own), body: {} }), noToken);
    const wrong = await client.send('PUT', '/api/auth/totp', {
      headers: bySid(own),
      body: { totp: '000000' },
    });
    assertError(wrong, invalid);
    const { body } = await client.send('GET', '/api/auth/totp', { headers: bySid(own) });
    assert.equal(at(body, 'totp', 'enabled'), false);
  });

  test('PUT with a token of it switches it on', async () => {
    await earlyInStep();
    // The next token is one that loses a zero as a number; about one secret in ten has it.
    tokens = await secretWith(client, own, ({ next }) => next.startsWith('0'));
    const ask = { headers: bySid(own), body: { totp: tokens.previous } };
    const reply = await client.send('PUT', '/api/auth/totp', ask);
    assert.deepEqual([reply.status, at(reply.body, 'totp')], [200, { enabled: true }], shown(reply));
  });

  test('other sessions of the password end, the own one and those of applications stay', async () => {
    assert.deepEqual(
      [await isSeated(client, own), await isSeated(client, elsewhere), await isSeated(client, app)],
      [true, false, true],
    );
  });

  test('`totp` in the session says so, before and after the login', async () => {
    const before = await client.send('GET', '/api/auth');
    assert.deepEqual([before.status, at(before.body, 'session', 'totp')], [401, true]);
    const { body } = await client.send('GET', '/api/auth', { headers: bySid(own) });
    assert.equal(at(body, 'session', 'totp'), true);
  });

  test('login without a token is 400, word for word', async () => {
    assertError(await login(client, password), noToken);
    assertError(await login(client, password, null), noToken);
  });

  test('a wrong password is 401 whatever the token, and tells nothing of it', async () => {
    const guest = openClient(service, { from: '127.0.0.2' });
    const replies = [await login(guest, 'wrong'), await login(guest, 'wrong', tokens.now)];
    for (const reply of replies) assertError(reply, { status: 401, message: 'Unauthorized', hint: null });
  });

  test('a wrong token is 401', async () => {
    const guest = openClient(service, { from: '127.0.0.3' });
    const wrong = [tokens.previous, tokens.now, tokens.next].includes('111111') ? '222222' : '111111';
    const reply = await login(guest, password, wrong);
    assertError(reply, invalid);
    assert.equal(at(reply.body, 'session', 'valid'), false);
    assertError(await login(guest, password, 'abc'), invalid);
    assertError(await login(guest, password, ''), invalid);
  });

  test('a token that switched it on is used up', async () => {
    assertError(await login(openClient(service, { from: '127.0.0.4' }), password, tokens.previous), reused);
  });

  test('a right token is 200, as text', async () => {
    assert.ok(await isSeated(client, await takeSeat(client, password, tokens.now)));
  });

  test('a token is never accepted twice, and neither is an older one', async () => {
    const guest = openClient(service, { from: '127.0.0.5' });
    assertError(await login(guest, password, tokens.now), reused);
    assertError(await login(guest, password, Number(tokens.now)), reused);
  });

  test('a right token is 200 as a number that has lost its zeros, at the same moment only once', async () => {
    assert.ok(String(Number(tokens.next)).length < 6, tokens.next);
    const attempts = await Promise.all([
      login(client, password, Number(tokens.next)),
      login(openClient(service, { from: '127.0.0.6' }), password, tokens.next),
    ]);
    const statuses = attempts.map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200, 401]));
  });

  test('an application password needs no token', async () => {
    assert.ok(await isSeated(client, await takeSeat(client, appText)));
  });

  test('failures stand in the log, no token and no secret does', async () => {
    const lines = [
      /Login failed address=127\.0\.0\.3 reason="wrong token"/,
      /Login failed address=127\.0\.0\.5 reason="reused token"/,
    ];
    for (const line of lines) await until(String(line), () => line.exec(service.log()) ?? undefined);
    for (const token of Object.values(tokens))
      assert.doesNotMatch(service.log(), new RegExp(`\\b${token}\\b`));
  });

  test('after a restart it is on, and a used token is still used', async (t) => {
    await service.stop();
    const again = await bootFor(t, { dir: service.dir, env: { ...quick, ...cheap } });
    const guest = openClient(again, { from: '127.0.0.7' });
    assertError(await login(guest, password), noToken);
    assertError(await login(guest, password, tokens.next), reused);
    assert.ok(await isSeated(openClient(again), own), 'the session goes on');
  });
});

describe('switching it off', { concurrency: 1 }, () => {
  const client = openClient(other);
  const remove = (seat: Seat, body?: unknown) =>
    client.send('DELETE', '/api/auth/totp', { headers: bySid(seat), body });

  test('needs a token: 400 without, 401 with a wrong or a used one, 204 with the right one', async () => {
    await earlyInStep();
    const own = await takeSeat(client);
    assertError(await remove(own, { totp: '123456' }), { status: 404 });
    const tokens = await secretWith(client, own, ({ now, next }) => now !== next);
    const ask = { headers: bySid(own), body: { totp: tokens.previous } };
    assert.equal((await client.send('PUT', '/api/auth/totp', ask)).status, 200);
    const elsewhere = await takeSeat(client, password, tokens.now);
    assertError(await remove(own), { status: 400 });
    assertError(await remove(own, {}), noToken);
    assertError(await remove(own, { totp: true }), noToken);
    assertError(await remove(own, { totp: tokens.now }), reused);
    assertError(await remove(own, { totp: '0' }), invalid);
    assert.ok(await isSeated(client, elsewhere));
    const removed = await remove(own, { totp: tokens.next });
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assert.deepEqual([await isSeated(client, own), await isSeated(client, elsewhere)], [true, false]);
    const reply = await login(client, password);
    assert.deepEqual([reply.status, at(reply.body, 'session', 'totp')], [200, false]);
  });
});

/** Nothing of what follows shall fall into the next step. */
async function earlyInStep(): Promise<void> {
  const leftMs = 30_000 - (Date.now() % 30_000);
  if (leftMs < 10_000) await sleep(leftMs + 20);
}

/** Asks for secrets until one has tokens that suit; the last one asked for is the one that waits. */
async function secretWith(client: Client, seat: Seat, suits: (tokens: Tokens) => boolean): Promise<Tokens> {
  for (let tries = 0; tries < 300; tries++) {
    await earlyInStep();
    const { body } = await client.send('POST', '/api/auth/totp', { headers: bySid(seat) });
    const key = fromBase32(String(at(body, 'totp', 'secret')));
    const step = stepAt(Date.now());
    const tokens = {
      previous: tokenOf(key, step - 1),
      now: tokenOf(key, step),
      next: tokenOf(key, step + 1),
    };
    if (suits(tokens)) return tokens;
  }
  throw new Error('No secret had suitable tokens.');
}
