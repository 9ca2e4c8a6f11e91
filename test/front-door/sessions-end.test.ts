// What ends a session from outside: a changed password, and time. The clock stands still unless a test moves
// it, so a session is tried in the last millisecond before its end and in the first after it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { holdClock } from '../running/held-clock.ts';
import { assertError, at } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import {
  bootWithStoredPassword,
  bySid,
  isSessionValid,
  login,
  createApp,
  password,
  quick,
  sessionsOf,
  setMaxSessions,
  setPassword,
  openSession,
} from './support/session.ts';

const validityMs = 1_800_000;
const clock = holdClock();
let service = await bootWithStoredPassword({ env: clock.env });
after(() => service.stop());
const newPassword = 'a new one';

describe('a session', { concurrency: 1 }, () => {
  const client = openClient(service);

  test('of the password ends when the password changes, one of an application does not', async () => {
    const app = await createApp(service, 'script');
    const sessions = [
      await openSession(client),
      await openSession(openClient(service, { from: '127.0.0.2' })),
    ];
    const script = await openSession(client, app.password);
    await setPassword(service, newPassword);
    for (const session of sessions) assert.equal(await isSessionValid(client, session), false);
    assert.ok(await isSessionValid(client, script));
    assertError(await login(client, password), { status: 401 });
    assert.ok(await isSessionValid(client, await openSession(client, newPassword)));
  });

  test('is refused from the millisecond in which its validity ends', async () => {
    const session = await openSession(client, newPassword);
    clock.advance(validityMs - 1);
    // A failing request is authenticated and does not extend the session.
    const absent = () => client.send('GET', '/api/groups/absent', { headers: bySid(session) });
    assertError(await absent(), { status: 404 });
    clock.advance(1);
    assertError(await absent(), { status: 401, key: 'unauthorized' });
    assertError(await client.send('GET', '/api/auth', { headers: bySid(session) }), { status: 401 });
  });

  test('that is idle for 60 s is replaced only by a login with the same address and user agent', async () => {
    assert.deepEqual(await sessionsOf(service), [], 'All earlier sessions have expired.');
    await setMaxSessions(service, 2);
    const full = { status: 429, key: 'api_seats_exceeded' };
    const [idle, second] = [await openSession(client, newPassword), await openSession(client, newPassword)];
    clock.advance(59_999);
    assert.ok(await isSessionValid(client, second));
    assertError(await login(client, newPassword), full);
    clock.advance(1);
    const other = openClient(service, { from: '127.0.0.2' });
    assertError(await login(other, newPassword), full);
    const agent = openClient(service, { headers: { 'user-agent': 'another' } });
    assertError(await login(agent, newPassword), full);
    const third = await openSession(client, newPassword);
    assert.deepEqual(
      [
        await isSessionValid(client, idle),
        await isSessionValid(client, second),
        await isSessionValid(client, third),
      ],
      [false, true, true],
    );
    assertError(await login(client, newPassword), full);
    await setMaxSessions(service, 16);
  });

  test('ends when its password or its validity ended while the service was stopped', async () => {
    const app = await createApp(service, 'before the stop');
    const expired = await openSession(client, app.password);
    clock.advance(validityMs / 2);
    const [ofPassword, valid] = [
      await openSession(client, newPassword),
      await openSession(client, app.password),
    ];
    const { dir } = service;
    await service.stop();
    clock.advance(validityMs / 2);
    service = await boot({ dir, env: { ...quick, ...clock.env, SLUICE_AUTH_PASSWORD: 'a third one' } });
    const again = openClient(service);
    const areValid = await Promise.all(
      [expired, ofPassword, valid].map((session) => isSessionValid(again, session)),
    );
    assert.deepEqual(areValid, [false, false, true]);
    assert.deepEqual(
      (await sessionsOf(service)).map((row) => at(row, 'app')),
      [true],
    );
    assertError(await login(again, newPassword), { status: 401 });
  });
});
