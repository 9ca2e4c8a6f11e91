// The limits on logging in: failed attempts per second for each address and over all, the seats, and what a
// failure leaves in the log. The password is one that costs nothing to check, so that what is met are these
// limits and not the hashing.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { assertError, at, describe as shown, type Reply } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client } from './support/client.ts';
import {
  bootWithPassword,
  byCookie,
  bySid,
  isSeated,
  login,
  makeApp,
  password,
  takeSeat,
} from './support/seat.ts';

const [service, small] = await Promise.all([
  bootWithPassword({ env: { ...cheap, SLUICE_AUTH_MAX_SESSIONS: '300' } }),
  bootWithPassword({ env: { ...cheap, SLUICE_AUTH_MAX_SESSIONS: '3' } }),
]);
after(() => Promise.all([service.stop(), small.stop()]));
const from = (address: string) => openClient(service, { from: address });
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status);
let addresses = 0;
/** An address that nobody has tried from. */
const anyone = (): Client => from(`127.0.${4 + Math.floor(++addresses / 250)}.${1 + (addresses % 250)}`);

/**
 * Limits are by the second: attempts that took longer together, on a busy machine, have met none. They are
 * made again, by others, when what has failed before is forgotten.
 */
const inOneSecond = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let tries = 0; tries < triesMax; tries++) {
    const startedMs = performance.now();
    const result = await attempt();
    if (performance.now() - startedMs < windowMs) return result;
    await sleep(windowMs + 100);
  }
  return assert.fail(`So many attempts take more than a second, ${triesMax} times.`);
};
const windowMs = 1_000;
const triesMax = 20;

const oneByOne = async (client: Client, texts: readonly string[]): Promise<Reply[]> => {
  const replies: Reply[] = [];
  for (const text of texts) replies.push(await login(client, text));
  return replies;
};
const wrongOnes = (count: number): string[] => Array.from({ length: count }, () => 'wrong');
const limited = { status: 429, key: 'rate_limiting', message: 'Rate-limiting login attempts' };

describe('3 failed attempts per second and address', { concurrency: 1 }, () => {
  test('one after the other: three are 401, then 429 with Retry-After', async () => {
    const replies = await inOneSecond(() => oneByOne(anyone(), wrongOnes(6)));
    assert.deepEqual(statuses(replies), [401, 401, 401, 429, 429, 429]);
    for (const reply of replies.slice(3)) {
      assertError(reply, limited);
      assert.match(String(reply.headers['retry-after']), /^[1-9]\d*$/);
    }
  });

  test('all at once: three are 401, not one more', async () => {
    const replies = await inOneSecond(async () => {
      const client = anyone();
      return Promise.all(wrongOnes(8).map((text) => login(client, text)));
    });
    const failed = statuses(replies).filter((status) => status === 401);
    assert.equal(failed.length, 3, statuses(replies).join(' '));
    assert.ok(statuses(replies).every((status) => status === 401 || status === 429));
  });

  test('other addresses are not concerned', async () => {
    const replies = await inOneSecond(() => oneByOne(anyone(), [...wrongOnes(4), password]));
    assert.equal(replies.at(-1)?.status, 429, 'not even with the right password');
    assert.equal((await login(anyone(), password)).status, 200);
  });

  test('after as long as Retry-After says it goes on', async () => {
    const { client, refused } = await inOneSecond(async () => {
      const one = anyone();
      return { client: one, refused: (await oneByOne(one, wrongOnes(4))).at(-1) };
    });
    assert.equal(refused?.status, 429);
    await sleep(Number(refused.headers['retry-after']) * 1000 + 50);
    assert.equal((await login(client, password)).status, 200);
  });

  test('right passwords do not count', async () => {
    const client = anyone();
    for (let count = 0; count < 12; count++) assert.equal((await login(client, password)).status, 200);
    const replies = [
      await login(client, 'wrong'),
      await login(client, 'wrong'),
      await login(client, password),
    ];
    assert.deepEqual(statuses(replies), [401, 401, 200]);
  });

  test('a body without a password does not count', async () => {
    const client = anyone();
    for (let count = 0; count < 6; count++) await client.send('POST', '/api/auth', { body: {} });
    assert.equal((await login(client, 'wrong')).status, 401);
  });

  test('being limited at the login does not touch sessions that there are', async () => {
    const client = anyone();
    const seat = await takeSeat(client);
    for (let count = 0; count < 4; count++) await login(client, 'wrong');
    assert.ok(await isSeated(client, seat));
  });

  test('a valid cookie makes no wrong password right, and is no way around the limit', async () => {
    const replies = await inOneSecond(async () => {
      const client = anyone();
      const seat = await takeSeat(client);
      const all: Reply[] = [];
      for (const headers of [byCookie(seat), bySid(seat), byCookie(seat), byCookie(seat)]) {
        all.push(await client.send('POST', '/api/auth', { headers, body: { password: 'wrong' } }));
      }
      return all;
    });
    assert.deepEqual(statuses(replies), [401, 401, 401, 429]);
  });
});

describe('20 failed attempts a second over all', () => {
  test('thirty addresses, one attempt each', async () => {
    await sleep(windowMs + 100);
    const replies = await inOneSecond(async () => {
      const all: Reply[] = [];
      // A few at once, as no more passwords are looked at at the same time.
      for (let count = 0; count < 5; count++)
        all.push(...(await Promise.all(wrongOnes(6).map((text) => login(anyone(), text)))));
      return all;
    });
    const [failed, refused] = [401, 429].map((wanted) => replies.filter(({ status }) => status === wanted));
    assert.deepEqual([failed?.length, refused?.length], [20, 10], statuses(replies).join(' '));
    for (const reply of refused ?? []) assertError(reply, limited);
    await sleep(windowMs + 100);
    assert.equal((await login(anyone(), password)).status, 200);
  });
});

describe('seats', { concurrency: 1 }, () => {
  const client = openClient(small);
  const full = { status: 429, key: 'api_seats_exceeded', message: 'API seats exceeded' };

  test('all taken: 429 api_seats_exceeded, and the hint names the setting', async () => {
    const seats = [await takeSeat(client), await takeSeat(client), await takeSeat(client)];
    const refused = await login(client, password);
    assertError(refused, full);
    assert.match(String(at(refused.body, 'error', 'hint')), /auth\.maxSessions/);
    assert.equal(refused.headers['set-cookie'], undefined);
    for (const seat of seats) assert.ok(await isSeated(client, seat), 'nobody was put out');
    for (const seat of seats) await client.send('DELETE', '/api/auth', { headers: bySid(seat) });
  });

  test('"logging out frees a slot"', async () => {
    const seats = [await takeSeat(client), await takeSeat(client), await takeSeat(client)];
    for (const seat of seats) await client.send('DELETE', '/api/auth', { headers: bySid(seat) });
    const again = await takeSeat(client);
    assert.ok(await isSeated(client, again));
    await client.send('DELETE', '/api/auth', { headers: bySid(again) });
  });

  test('application passwords take at most one less, so that a person can always log in', async () => {
    const app = await makeApp(small, 'dashboard', true);
    const seats = [await takeSeat(client, app.password), await takeSeat(client, app.password)];
    assertError(await login(client, app.password), full);
    const person = await takeSeat(client);
    assert.ok(await isSeated(client, person));
    assertError(await login(client, password), full);
    for (const seat of [...seats, person]) await client.send('DELETE', '/api/auth', { headers: bySid(seat) });
  });

  test('many logins at the same moment take no seat too much', async () => {
    const replies = await Promise.all(Array.from({ length: 9 }, () => login(client, password)));
    const entered = replies.filter(({ status }) => status === 200);
    assert.equal(entered.length, 3, statuses(replies).join(' '));
    assert.ok(replies.every(({ status }) => status === 200 || status === 429));
  });
});

describe('the log', () => {
  test('failures stand in it with their address, in one fixed form', async () => {
    await sleep(1_100);
    const reply = await login(from('127.0.6.1'), 'a wrong one');
    assert.equal(reply.status, 401, shown(reply));
    const lines = await until('The line is logged', () => {
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

  test('no password, no SID and no CSRF token stands in any log', async () => {
    await sleep(1_100);
    const app = await makeApp(service, 'logged');
    const client = from('127.0.6.2');
    const seat = await takeSeat(client, app.password);
    const wrong = 'this-was-wrong-4711';
    await login(client, wrong);
    await client.send('GET', `/api/groups?sid=${seat.sid}`);
    await client.send('GET', `/api/none?sid=${seat.sid}&password=${wrong}`);
    for (const secret of [password, wrong, app.password, seat.sid, seat.csrf, cheap.SLUICE_AUTH_PASSWORD]) {
      assert.ok(!`${service.log()}${service.out()}`.includes(secret), secret);
    }
  });
});
