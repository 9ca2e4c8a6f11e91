// "If no password is configured on the service, no endpoint requires authentication." A service with an
// explicitly empty password: every request has all rights, credentials in requests are ignored, and login and
// logout succeed, so that clients that insist on them work.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { assertError, at, describe as shown } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { bootWithPassword, quick } from './support/session.ts';

const service = await bootWithPassword({ env: { ...quick, SLUICE_AUTH_PASSWORD: '' } });
after(() => service.stop());
const client = openClient(service);
const open = { valid: true, totp: false, sid: null, validity: -1, message: 'no password set' };

describe('"when no password is set on the service, requests need no authentication"', () => {
  const table: readonly (readonly [method: string, path: string, body: unknown, status: number])[] = [
    ['GET', '/api/groups', undefined, 200],
    ['GET', '/api/domains', undefined, 200],
    ['GET', '/api/dns/blocking', undefined, 200],
    ['GET', '/api/info/version', undefined, 200],
    ['GET', '/api/auth/sessions', undefined, 200],
    ['GET', '/api/auth/app', undefined, 200],
    ['GET', '/api/auth/totp', undefined, 200],
    ['GET', '/api/config', undefined, 200],
    ['GET', '/api/revisions', undefined, 200],
    ['POST', '/api/groups', { name: 'open' }, 201],
    ['PUT', '/api/groups/open', {}, 200],
    ['PATCH', '/api/groups/open', { comment: 'x' }, 200],
    ['DELETE', '/api/groups/open', undefined, 204],
    ['PATCH', '/api/config', { config: {} }, 200],
    ['POST', '/api/auth/app', { name: 'app' }, 201],
    ['DELETE', '/api/auth/app/1', undefined, 204],
    ['DELETE', '/api/auth/session/1', undefined, 404],
  ];
  for (const [method, path, body, status] of table) {
    test(`${method} ${path}`, async () => {
      const reply = await client.send(method, path, { body });
      assert.equal(reply.status, status, shown(reply));
    });
  }

  const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'an unknown SID': { 'X-SVC-SID': 'unknown' },
    'SIDs that disagree': { 'X-SVC-SID': 'one', 'X-FTL-SID': 'two' },
    'a cookie without CSRF': { cookie: 'sid=stale' },
    'a very long SID': { sid: 'A'.repeat(8_000) },
  };
  for (const [name, headers] of Object.entries(credentials)) {
    test(`credentials in a request are ignored: ${name}`, async () => {
      const reply = await client.send('GET', '/api/groups?sid=three', { headers, body: { sid: 'four' } });
      assert.equal(reply.status, 200, shown(reply));
      assert.equal(reply.headers['set-cookie'], undefined);
    });
  }
});

describe('/api/auth without a password', () => {
  const passwords = ['', 'anything', 'x'.repeat(1_000)];
  for (const password of passwords) {
    test(`POST answers 200 with \`sid: null\` to ${JSON.stringify(password.slice(0, 8))}`, async () => {
      const reply = await client.send('POST', '/api/auth', { body: { password } });
      assert.equal(reply.status, 200);
      assert.deepEqual(at(reply.body, 'session'), open);
      assert.equal(reply.headers['set-cookie'], undefined);
    });
  }

  test('POST still requires a password that is a string', async () => {
    assertError(await client.send('POST', '/api/auth', { body: {} }), { status: 400 });
    assertError(await client.send('POST', '/api/auth', { body: { password: 1 } }), { status: 400 });
  });

  test('any number of logins, correct or wrong, opens no session and reaches no limit', async () => {
    const logins = Array.from({ length: 60 }, () =>
      client.send('POST', '/api/auth', { body: { password: 'x' } }),
    );
    assert.ok((await Promise.all(logins)).every(({ status }) => status === 200));
    assert.deepEqual(at((await client.send('GET', '/api/auth/sessions')).body, 'sessions'), []);
  });

  test('GET answers 200', async () => {
    const reply = await client.send('GET', '/api/auth');
    assert.equal(reply.status, 200);
    assert.deepEqual(at(reply.body, 'session'), open);
  });

  test('DELETE answers 410', async () => {
    for (let count = 0; count < 2; count++) {
      const reply = await client.send('DELETE', '/api/auth');
      assert.deepEqual([reply.status, reply.text], [410, '']);
    }
  });

  test('the log warns at every start', () => {
    const lines = service.log().split('\n');
    assert.equal(lines.filter((line) => /warn .*auth\.password is empty/.test(line)).length, 1);
  });
});
