// "A session is bound to the client IP address. A request from a different address does not use it." Several
// loopback addresses act as several clients of one service; one of them is a trusted proxy with its own
// clients, and one listener accepts IPv4 and IPv6.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { assertError, at } from '../running/reply.ts';
import { openClient, type Client } from './support/client.ts';
import {
  bootWithPassword,
  byCookie,
  bySid,
  isSessionValid,
  login,
  password,
  sessionsOf,
  openSession,
} from './support/session.ts';

const proxy = '127.0.0.9';
const [service, loose] = await Promise.all([
  bootWithPassword({
    env: {
      // One socket for IPv4 and IPv6.
      SLUICE_WEB_HTTP: '*:0',
      SLUICE_AUTH_MAX_SESSIONS: '100',
      SLUICE_WEB_TRUSTED_PROXIES: proxy,
    },
  }),
  bootWithPassword({ env: { SLUICE_AUTH_BIND_ADDRESS: 'false' } }),
]);
after(() => Promise.all([service.stop(), loose.stop()]));
const one = openClient(service, { from: '127.0.0.1' });
const two = openClient(service, { from: '127.0.0.2' });
const behind = (forwarded: string): Client =>
  openClient(service, { from: proxy, headers: { 'X-Forwarded-For': forwarded } });

describe('"a session is bound to the client IP address"', () => {
  test('"a request from a different address does not use it": 401 by each of the four ways', async () => {
    const session = await openSession(one);
    assert.equal(await isSessionValid(two, session), false);
    const ways = [
      two.send('GET', '/api/groups', { headers: byCookie(session) }),
      two.send('GET', `/api/groups?sid=${session.sid}`),
      two.send('GET', '/api/groups', { body: { sid: session.sid } }),
      two.send('GET', '/api/auth', { headers: { cookie: `sid=${session.sid}` } }),
    ];
    for (const reply of await Promise.all(ways)) assertError(reply, { status: 401, key: 'unauthorized' });
  });

  test('a request from another address neither ends nor extends it', async () => {
    const session = await openSession(one);
    assertError(await two.send('DELETE', '/api/auth', { headers: bySid(session) }), { status: 401 });
    assert.ok(await isSessionValid(one, session));
  });

  test('two addresses that log in have one session each', async () => {
    const [here, there] = [await openSession(one), await openSession(two)];
    assert.deepEqual(
      [await isSessionValid(one, here), await isSessionValid(two, there), await isSessionValid(one, there)],
      [true, true, false],
    );
  });

  test('X-Forwarded-For of an untrusted client is ignored', async () => {
    const session = await openSession(one);
    const names = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'X-Client-IP'];
    for (const name of names) {
      const value = name === 'Forwarded' ? 'for=127.0.0.1' : '127.0.0.1';
      const headers = { ...bySid(session), [name]: value };
      assertError(await two.send('GET', '/api/groups', { headers }), { status: 401 });
    }
  });
});

describe('an IPv4-mapped IPv6 address is the IPv4 client', () => {
  test('on a listener for both families, and is shown as IPv4', async () => {
    const agent = { headers: { 'user-agent': 'mapped' } };
    const session = await openSession(openClient(service, { from: '127.0.0.1', ...agent }));
    assert.ok(await isSessionValid(openClient(service, { to: '127.0.0.1' }), session));
    const row = (await sessionsOf(service)).find((listed) => at(listed, 'user_agent') === 'mapped');
    assert.equal(at(row, 'remote_addr'), '127.0.0.1');
  });

  test('also when a proxy sends it', async () => {
    const session = await openSession(behind('203.0.113.7'));
    assert.ok(await isSessionValid(behind('::ffff:203.0.113.7'), session));
    assert.ok(await isSessionValid(behind('::FFFF:203.0.113.7'), session));
    assert.ok(await isSessionValid(behind('::ffff:cb00:7107'), session), 'the same in hexadecimal');
    assert.equal(await isSessionValid(behind('::ffff:203.0.113.8'), session), false);
  });

  test('but ::1 is not 127.0.0.1', async () => {
    const six = openClient(service, { to: '::1' });
    const session = await openSession(six);
    assert.deepEqual([await isSessionValid(six, session), await isSessionValid(one, session)], [true, false]);
  });
});

describe('behind a trusted proxy', () => {
  test('two clients of one proxy do not share sessions', async () => {
    const [first, second] = [behind('203.0.113.1'), behind('203.0.113.2')];
    const session = await openSession(first);
    assert.deepEqual(
      [await isSessionValid(first, session), await isSessionValid(second, session)],
      [true, false],
    );
  });

  test('addresses that the client itself wrote into X-Forwarded-For are ignored', async () => {
    const victim = await openSession(behind('203.0.113.1'));
    assert.equal(await isSessionValid(behind('203.0.113.1, 203.0.113.66'), victim), false);
    assert.ok(await isSessionValid(behind('203.0.113.66, 203.0.113.1'), victim));
  });

  test('clients of the proxy cannot use a session of the proxy itself', async () => {
    const own = openClient(service, { from: proxy });
    const session = await openSession(own);
    assert.deepEqual(
      [await isSessionValid(own, session), await isSessionValid(behind('203.0.113.1'), session)],
      [true, false],
    );
  });

  test('TLS at the proxy makes the cookie Secure', async () => {
    const tls = openClient(service, {
      from: proxy,
      headers: { 'X-Forwarded-For': '203.0.113.3', 'X-Forwarded-Proto': 'https' },
    });
    assert.match(String((await login(tls, password)).headers['set-cookie']), /; Secure$/);
    const liar = openClient(service, { from: '127.0.0.3', headers: { 'X-Forwarded-Proto': 'https' } });
    assert.doesNotMatch(String((await login(liar, password)).headers['set-cookie']), /Secure/);
  });
});

describe('auth.bindAddress = false', () => {
  test('accepts a session from any address', async () => {
    const session = await openSession(openClient(loose, { from: '127.0.0.1' }));
    assert.ok(await isSessionValid(openClient(loose, { from: '127.0.0.2' }), session));
  });
});
