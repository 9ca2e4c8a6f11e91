// What ends a session from outside: a changed password, and time. The clock stands still unless a test
// moves it, so a session is tried in the millisecond before its end and in that of its end.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { holdClock } from '../running/held-clock.ts';
import { assertError, at } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import {
  bootWithStoredPassword,
  bySid,
  isSeated,
  login,
  makeApp,
  password,
  quick,
  sessionsOf,
  setMaxSessions,
  setPassword,
  takeSeat,
} from './support/seat.ts';

const validityMs = 1_800_000;
const clock = holdClock();
let service = await bootWithStoredPassword({ env: clock.env });
after(() => service.stop());
const newPassword = 'a new one';

describe('a session', { concurrency: 1 }, () => {
  const client = openClient(service);

  test('of the password ends when the password changes; one of an application does not', async () => {
    const app = await makeApp(service, 'script');
    const seats = [await takeSeat(client), await takeSeat(openClient(service, { from: '127.0.0.2' }))];
    const script = await takeSeat(client, app.password);
    await setPassword(service, newPassword);
    for (const seat of seats) assert.equal(await isSeated(client, seat), false);
    assert.ok(await isSeated(client, script));
    assertError(await login(client, password), { status: 401 });
    assert.ok(await isSeated(client, await takeSeat(client, newPassword)));
  });

  test('is refused from the millisecond in which its validity ends', async () => {
    const seat = await takeSeat(client, newPassword);
    clock.advance(validityMs - 1);
    // A request that fails is let in and does not extend the session.
    const absent = () => client.send('GET', '/api/groups/absent', { headers: bySid(seat) });
    assertError(await absent(), { status: 404 });
    clock.advance(1);
    assertError(await absent(), { status: 401, key: 'unauthorized' });
    assertError(await client.send('GET', '/api/auth', { headers: bySid(seat) }), { status: 401 });
  });

  test('that is idle for 60 s gives way to a login of the same address and user agent only', async () => {
    assert.deepEqual(await sessionsOf(service), [], 'All earlier sessions have expired.');
    await setMaxSessions(service, 2);
    const full = { status: 429, key: 'api_seats_exceeded' };
    const [idle, second] = [await takeSeat(client, newPassword), await takeSeat(client, newPassword)];
    clock.advance(59_999);
    assert.ok(await isSeated(client, second));
    assertError(await login(client, newPassword), full);
    clock.advance(1);
    const other = openClient(service, { from: '127.0.0.2' });
    assertError(await login(other, newPassword), full);
    const agent = openClient(service, { headers: { 'user-agent': 'another' } });
    assertError(await login(agent, newPassword), full);
    const third = await takeSeat(client, newPassword);
    assert.deepEqual(
      [await isSeated(client, idle), await isSeated(client, second), await isSeated(client, third)],
      [false, true, true],
    );
    assertError(await login(client, newPassword), full);
    await setMaxSessions(service, 16);
  });

  test('ends with a password or a validity that ended while the service was stopped', async () => {
    const app = await makeApp(service, 'before the stop');
    const expired = await takeSeat(client, app.password);
    clock.advance(validityMs / 2);
    const [ofPassword, valid] = [await takeSeat(client, newPassword), await takeSeat(client, app.password)];
    const { dir } = service;
    await service.stop();
    clock.advance(validityMs / 2);
    service = await boot({ dir, env: { ...quick, ...clock.env, SLUICE_AUTH_PASSWORD: 'a third one' } });
    const again = openClient(service);
    const seated = await Promise.all([expired, ofPassword, valid].map((seat) => isSeated(again, seat)));
    assert.deepEqual(seated, [false, false, true]);
    assert.deepEqual(
      (await sessionsOf(service)).map((row) => at(row, 'app')),
      [true],
    );
    assertError(await login(again, newPassword), { status: 401 });
  });
});
