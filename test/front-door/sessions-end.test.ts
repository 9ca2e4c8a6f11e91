// What ends a session from outside: a changed password, and time. Where time would have to pass, the database
// of the stopped service is made to say that it has, because a minute is too long for a test.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';

import { bootFor, type Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { assertError, at } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client } from './support/client.ts';
import {
  bySid,
  isSeated,
  login,
  makeApp,
  password,
  quick,
  sessionsOf,
  setPassword,
  takeSeat,
  type Seat,
} from './support/seat.ts';

const env = { ...quick, ...cheap };
const stored = { ...quick, SLUICE_AUTH_PASSWORD: undefined };

describe('ended by what they were made with', () => {
  test('a changed password ends the sessions of the password, not those of applications', async (t) => {
    const service = await bootFor(t, { env: stored });
    const client = openClient(service);
    await setPassword(service, password);
    const app = await makeApp(service, 'script');
    const seats = [await takeSeat(client), await takeSeat(openClient(service, { from: '127.0.0.2' }))];
    const script = await takeSeat(client, app.password);
    await setPassword(service, 'a new one');
    for (const seat of seats) assert.equal(await isSeated(client, seat), false);
    assert.ok(await isSeated(client, script));
    assertError(await login(client, password), { status: 401 });
    assert.ok(await isSeated(client, await takeSeat(client, 'a new one')));
  });

  test('a password that was changed while the service was stopped ends them too', async (t) => {
    const dir = temporaryFolder();
    const before = await bootFor(t, { dir, env: { ...quick, SLUICE_AUTH_PASSWORD: 'the old one' } });
    const app = await makeApp(before, 'script');
    const seat = await takeSeat(openClient(before), 'the old one');
    const script = await takeSeat(openClient(before), app.password);
    await before.stop();
    const later = await bootFor(t, { dir, env: { ...quick, SLUICE_AUTH_PASSWORD: 'the new one' } });
    const client = openClient(later);
    assert.deepEqual([await isSeated(client, seat), await isSeated(client, script)], [false, true]);
    assertError(await login(client, 'the old one'), { status: 401 });
  });
});

describe('time', () => {
  test('after inactivity past the timeout the SID expires; it is refused the moment it ends', async (t) => {
    const lastsMs = 5_000;
    const { client, seat } = await reopened(t, () => ({ ends_ms: Date.now() + lastsMs }));
    await until('It is refused', async () => {
      // A failed request that carries it neither needs nor extends it.
      const { status, body } = await client.send('GET', '/api/groups/absent', { headers: bySid(seat) });
      assert.ok(status === 404 || status === 401, String(status));
      return status === 401 ? at(body, 'error', 'key') : undefined;
    });
    assertError(await client.send('GET', '/api/auth', { headers: bySid(seat) }), { status: 401 });
  });

  test('one that ended while the service was stopped is gone', async (t) => {
    const { service, client, seat } = await reopened(t, () => ({ ends_ms: Date.now() - 1_000 }));
    assert.equal(await isSeated(client, seat), false);
    assert.deepEqual(await sessionsOf(service), []);
  });

  test('all seats taken: one of the same client and user agent, idle for 60 s, gives way', async (t) => {
    const { service, client, seat } = await reopened(t, () => ({ last_used_ms: Date.now() - 61_000 }), '2');
    const second = await takeSeat(client);
    const other = openClient(service, { from: '127.0.0.2' });
    assertError(await login(other, password), { status: 429, key: 'api_seats_exceeded' });
    const agent = openClient(service, { headers: { 'user-agent': 'another' } });
    assertError(await login(agent, password), { status: 429, key: 'api_seats_exceeded' });
    const third = await takeSeat(client);
    assert.deepEqual(
      [await isSeated(client, seat), await isSeated(client, second), await isSeated(client, third)],
      [false, true, true],
    );
    assertError(await login(client, password), { status: 429, key: 'api_seats_exceeded' });
  });
});

/** A service that was stopped with one session, whose row in the database was then changed. */
async function reopened(
  t: TestContext,
  change: () => Readonly<Record<string, number>>,
  maxSessions = '16',
): Promise<Reopened> {
  const dir = temporaryFolder();
  const before = await bootFor(t, { dir, env });
  const seat = await takeSeat(openClient(before));
  await before.stop();
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  for (const [column, value] of Object.entries(change())) {
    database.prepare(`update sessions set ${column} = ?`).run(value);
  }
  database.close();
  const service = await bootFor(t, { dir, env: { ...env, SLUICE_AUTH_MAX_SESSIONS: maxSessions } });
  return { service, client: openClient(service), seat };
}

type Reopened = {
  readonly service: Service;
  readonly client: Client;
  readonly seat: Seat;
};
