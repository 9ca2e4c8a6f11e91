// The limits on logins: failed attempts per second for each address and each network, the number of sessions,
// and the log lines of failures. The clock stands still unless a test moves it, so attempts that belong to
// one second are within one second on any machine. The password hash costs nothing to verify, so that no test
// reaches the limit on hashing.

import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';

import { holdClock } from '../running/held-clock.ts';
import { assertError, at, describe as shown, type Reply } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client } from './support/client.ts';
import {
  bootWithPassword,
  byCookie,
  bySid,
  isSessionValid,
  login,
  createApp,
  password,
  setMaxSessions,
  openSession,
} from './support/session.ts';

const secondMs = 1_000;
const clock = holdClock();
const service = await bootWithPassword({ env: { ...cheap, ...clock.env } });
after(() => service.stop());
await setMaxSessions(service, 300);
beforeEach(() => clock.advance(secondMs));

const from = (address: string) => openClient(service, { from: address });
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status);
let addresses = 0;
/** A client from an address without earlier attempts. */
const newClient = (): Client => from(`127.0.${4 + Math.floor(++addresses / 250)}.${1 + (addresses % 250)}`);

const oneByOne = async (client: Client, texts: readonly string[]): Promise<Reply[]> => {
  const replies: Reply[] = [];
  for (const text of texts) replies.push(await login(client, text));
  return replies;
};
const wrongPasswords = (count: number): string[] => Array.from({ length: count }, () => 'wrong');
const limited = { status: 429, key: 'rate_limiting', message: 'Rate-limiting login attempts' };

describe('failed logins from one address', { concurrency: 1 }, () => {
  test('in sequence get 401 three times, then 429 with Retry-After', async () => {
    const replies = await oneByOne(newClient(), wrongPasswords(6));
    assert.deepEqual(statuses(replies), [401, 401, 401, 429, 429, 429]);
    for (const reply of replies.slice(3)) {
      assertError(reply, limited);
      assert.match(String(reply.headers['retry-after']), /^[1-9]\d*$/);
    }
  });

  test('sent at the same time get 401 exactly three times', async () => {
    const client = newClient();
    const replies = await Promise.all(wrongPasswords(8).map((text) => login(client, text)));
    const failed = statuses(replies).filter((status) => status === 401);
    assert.equal(failed.length, 3, statuses(replies).join(' '));
    assert.equal(statuses(replies).filter((status) => status === 429).length, 5);
  });

  test('do not limit the logins from another address', async () => {
    const replies = await oneByOne(newClient(), [...wrongPasswords(4), password]);
    assert.equal(replies.at(-1)?.status, 429, 'the correct password is refused too');
    assert.equal((await login(newClient(), password)).status, 200);
  });

  test('are allowed again after as many seconds as Retry-After says', async () => {
    const client = newClient();
    const refused = (await oneByOne(client, wrongPasswords(4))).at(-1);
    assert.equal(refused?.status, 429);
    clock.advance(Number(refused.headers['retry-after']) * secondMs);
    assert.equal((await login(client, password)).status, 200);
  });

  test('are counted without the successful logins between them', async () => {
    const client = newClient();
    for (let count = 0; count < 12; count++) assert.equal((await login(client, password)).status, 200);
    const replies = await oneByOne(client, ['wrong', 'wrong', password]);
    assert.deepEqual(statuses(replies), [401, 401, 200]);
  });

  test('are counted without requests that carry no password', async () => {
    const client = newClient();
    for (let count = 0; count < 6; count++) await client.send('POST', '/api/auth', { body: {} });
    assert.equal((await login(client, 'wrong')).status, 401);
  });

  test('do not affect an open session of that address', async () => {
    const client = newClient();
    const session = await openSession(client);
    assert.equal((await oneByOne(client, wrongPasswords(4))).at(-1)?.status, 429);
    assert.ok(await isSessionValid(client, session));
  });

  test('are limited although each carries the cookie or the SID of an open session', async () => {
    const client = newClient();
    const session = await openSession(client);
    const replies: Reply[] = [];
    for (const headers of [byCookie(session), bySid(session), byCookie(session), byCookie(session)]) {
      replies.push(await client.send('POST', '/api/auth', { headers, body: { password: 'wrong' } }));
    }
    assert.deepEqual(statuses(replies), [401, 401, 401, 429]);
  });
});

describe('failed logins from thirty addresses of one network within a second', () => {
  test('get 401 twenty times and 429 ten times; another network may log in meanwhile', async () => {
    const known = from('127.0.200.200');
    await openSession(known);
    const replies: Reply[] = [];
    // Six at a time, the limit of concurrent password checks.
    for (let count = 0; count < 5; count++)
      replies.push(
        ...(await Promise.all(
          wrongPasswords(6).map((text, index) => login(from(`127.0.200.${6 * count + index + 1}`), text)),
        )),
      );
    const [failed, refused] = [401, 429].map((wanted) => replies.filter(({ status }) => status === wanted));
    assert.deepEqual([failed?.length, refused?.length], [20, 10], statuses(replies).join(' '));
    for (const reply of refused ?? []) assertError(reply, limited);
    const stranger = from('127.0.200.100');
    assert.equal((await login(stranger, password)).status, 429, 'from the same network');
    assert.equal((await login(from('127.0.201.1'), password)).status, 200, 'from another network');
    assert.equal((await login(known, password)).status, 200, 'from an address with a session');
    clock.advance(secondMs);
    assert.equal((await login(stranger, password)).status, 200, 'from the same network, a second later');
  });
});

describe('the log', { concurrency: 1 }, () => {
  test('has one line in a fixed format with the address for a failed login', async () => {
    const reply = await login(from('127.0.6.1'), 'a wrong one');
    assert.equal(reply.status, 401, shown(reply));
    const lines = await until('The log has a line with 127.0.6.1', () => {
      const found = service
        .log()
        .split('\n')
        .filter((line) => line.includes('127.0.6.1'));
      return found.length === 0 ? undefined : found;
    });
    assert.equal(lines.length, 1);
    assert.match(
      String(lines[0]),
      /^\d{4}-\d\d-\d\dT[\d:.]+Z warn {2}api: Login failed address=127\.0\.6\.1 reason="wrong password"$/,
    );
  });

  test('has no password, no SID and no CSRF token', async () => {
    const app = await createApp(service, 'logged');
    const client = from('127.0.6.2');
    const session = await openSession(client, app.password);
    const wrong = 'this-was-wrong-4711';
    await client.send('GET', `/api/groups?sid=${session.sid}`);
    await client.send('GET', `/api/none?sid=${session.sid}&password=${wrong}`);
    await login(client, wrong);
    await service.logged(/address=127\.0\.6\.2/);
    for (const secret of [
      password,
      wrong,
      app.password,
      session.sid,
      session.csrf,
      cheap.SLUICE_AUTH_PASSWORD,
    ]) {
      assert.ok(!`${service.log()}${service.out()}`.includes(secret), secret);
    }
  });
});

describe('with auth.maxSessions = 3', { concurrency: 1 }, () => {
  const client = openClient(service);
  const full = { status: 429, key: 'api_seats_exceeded', message: 'API seats exceeded' };
  const logOut = async (...sessions: readonly Parameters<typeof bySid>[0][]): Promise<void> => {
    for (const session of sessions) await client.send('DELETE', '/api/auth', { headers: bySid(session) });
  };

  test('a fourth login is refused with 429, names the setting, and ends no session', async () => {
    await endAllSessions();
    await setMaxSessions(service, 3);
    const sessions = [await openSession(client), await openSession(client), await openSession(client)];
    const refused = await login(client, password);
    assertError(refused, full);
    assert.match(String(at(refused.body, 'error', 'hint')), /auth\.maxSessions/);
    assert.equal(refused.headers['set-cookie'], undefined);
    for (const session of sessions) assert.ok(await isSessionValid(client, session), 'no session was ended');
    await logOut(...sessions);
  });

  test('"logging out frees a slot"', async () => {
    await logOut(await openSession(client), await openSession(client), await openSession(client));
    const again = await openSession(client);
    assert.ok(await isSessionValid(client, again));
    await logOut(again);
  });

  test('application passwords may hold two sessions, so that a user can always log in', async () => {
    const app = await createApp(service, 'dashboard', true);
    const sessions = [await openSession(client, app.password), await openSession(client, app.password)];
    assertError(await login(client, app.password), full);
    const person = await openSession(client);
    assert.ok(await isSessionValid(client, person));
    assertError(await login(client, password), full);
    await logOut(...sessions, person);
  });

  test('nine logins at the same time open exactly three sessions', async () => {
    const replies = await Promise.all(Array.from({ length: 9 }, () => login(client, password)));
    const [entered, refused] = [200, 429].map((wanted) => replies.filter(({ status }) => status === wanted));
    assert.deepEqual([entered?.length, refused?.length], [3, 6], statuses(replies).join(' '));
  });
});

async function endAllSessions(): Promise<void> {
  const local = openClient(service, { via: 'control' });
  const { body } = await local.send('GET', '/api/auth/sessions');
  for (const row of Object.values(Object(at(body, 'sessions'))))
    await local.send('DELETE', `/api/auth/session/${Number(at(row, 'id'))}`);
}
