// Sessions over their life: listed, ended one by one, logged in and out by the hundred, kept over a restart
// and over kill -9, and on the disk only as a hash.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';

import { boot, bootFor, type Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { assertError, at, listAt } from '../running/reply.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client } from './support/client.ts';
import { bySid, isSeated, makeApp, password, quick, sessionsOf, takeSeat } from './support/seat.ts';

const env = { ...quick, ...cheap };

describe('listed, ended, and many', { concurrency: 1 }, async () => {
  const service = await boot({ env });
  after(() => (service.hasEnded() ? undefined : service.stop()));

  test('GET tells which is mine, address, user agent, times and application; no SID', async () => {
    const local = openClient(service, { via: 'control' });
    const mine = openClient(service, { headers: { 'user-agent': 'mine/1' } });
    const other = openClient(service, { from: '127.0.0.2', headers: { 'user-agent': 'other/2' } });
    const app = await makeApp(service, 'script');
    const [own, foreign] = [await takeSeat(mine), await takeSeat(other, app.password)];
    const reply = await mine.send('GET', '/api/auth/sessions', { headers: bySid(own) });
    const rows = listAt(reply.body, 'sessions');
    const seen = rows.map((row) =>
      ['current_session', 'remote_addr', 'user_agent', 'app'].map((f) => at(row, f)),
    );
    assert.deepEqual(seen, [
      [true, '127.0.0.1', 'mine/1', false],
      [false, '127.0.0.2', 'other/2', true],
    ]);
    assert.deepEqual([at(rows[0], 'app_id'), at(rows[1], 'app_id')], [null, app.id]);
    for (const row of rows) {
      const [start, active, end] = ['login_at', 'last_active', 'valid_until'].map((f) => Number(at(row, f)));
      assert.ok(Math.abs(Number(start) - Date.now() / 1000) < 20, JSON.stringify(row));
      assert.ok(Number(active) >= Number(start) - 1 && Math.abs(Number(end) - Number(active) - 1800) <= 1);
      assert.deepEqual(at(row, 'tls'), { login: false, mixed: false });
    }
    for (const secret of [own.sid, own.csrf, foreign.sid]) assert.ok(!reply.text.includes(secret));
    const viewed = await other.send('GET', '/api/auth/sessions', { headers: bySid(foreign) });
    const current = listAt(viewed.body, 'sessions').filter((row) => at(row, 'current_session') === true);
    assert.deepEqual(
      current.map((row) => at(row, 'user_agent')),
      ['other/2'],
    );
    for (const row of rows) await local.send('DELETE', `/api/auth/session/${Number(at(row, 'id'))}`);
  });

  test('DELETE is 204, then 404, and nonsense is 400', async () => {
    const client = openClient(service);
    const [own, other] = [await takeSeat(client), await takeSeat(client)];
    const id = Number(at((await sessionsOf(service))[1], 'id'));
    const remove = (text: unknown) =>
      client.send('DELETE', `/api/auth/session/${String(text)}`, { headers: bySid(own) });
    const first = await remove(id);
    assert.deepEqual([first.status, first.text], [204, '']);
    assert.deepEqual([await isSeated(client, other), await isSeated(client, own)], [false, true]);
    assertError(await remove(id), { status: 404, key: 'not_found' });
    for (const text of ['x', '-1', '1.5', '99999999999']) assertError(await remove(text), { status: 400 });
    const ownId = Number(at((await sessionsOf(service))[0], 'id'));
    assert.equal((await remove(ownId)).status, 204, 'the own one too');
    assert.equal(await isSeated(client, own), false);
  });

  test('300 logins and logouts leave no session behind, and the file does not grow', async (t) => {
    await turns(openClient(service), 100);
    await service.stop();
    const path = join(service.dir, 'sluice.db');
    const sizeBytes = statSync(path).size;
    const again = await bootFor(t, { dir: service.dir, env });
    const before = await revisionsOf(again);
    await turns(openClient(again), 200);
    assert.deepEqual(await sessionsOf(again), []);
    assert.deepEqual(await revisionsOf(again), before, 'a login is no change');
    await again.stop();
    assert.ok(statSync(path).size <= sizeBytes + 16_384, `${statSync(path).size} after ${sizeBytes}`);
    const database = new DatabaseSync(path);
    assert.equal(at(database.prepare('select count(*) as n from sessions').get(), 'n'), 0);
    database.close();
  });
});

describe('kept', () => {
  test('over a restart, with address, user agent, right and all; logged out stays logged out', async (t) => {
    const dir = temporaryFolder();
    const before = await bootFor(t, { dir, env });
    const client = openClient(before, { headers: { 'user-agent': 'kept/1' } });
    const app = await makeApp(before, 'script');
    const [own, limited] = [await takeSeat(client), await takeSeat(client, app.password)];
    const gone = await takeSeat(client);
    await client.send('DELETE', '/api/auth', { headers: bySid(gone) });
    const rows = await sessionsOf(before);
    await before.stop();
    const later = await bootFor(t, { dir, env });
    assert.deepEqual((await sessionsOf(later)).map(identity), rows.map(identity));
    const again = openClient(later);
    assert.deepEqual(
      [await isSeated(again, own), await isSeated(again, limited), await isSeated(again, gone)],
      [true, true, false],
    );
    const headers = bySid(limited);
    assertError(await again.send('PATCH', '/api/config', { headers, body: { config: {} } }), { status: 403 });
    assert.equal(await isSeated(openClient(later, { from: '127.0.0.2' }), own), false);
    const byCookie = { cookie: `sid=${own.sid}`, 'X-SVC-CSRF': own.csrf };
    assert.equal((await again.send('GET', '/api/groups', { headers: byCookie })).status, 200);
  });

  test('over kill -9: a login that was acknowledged is valid, a logout that was is none', async (t) => {
    const dir = temporaryFolder();
    const service = await bootFor(t, { dir, env });
    const client = openClient(service);
    const gone = await takeSeat(client);
    assert.equal((await client.send('DELETE', '/api/auth', { headers: bySid(gone) })).status, 410);
    const seat = await takeSeat(client);
    await service.kill();
    const again = openClient(await bootFor(t, { dir, env }));
    assert.deepEqual([await isSeated(again, seat), await isSeated(again, gone)], [true, false]);
  });

  test('as a hash: neither SID nor CSRF token nor any password lies on the disk', async (t) => {
    const dir = temporaryFolder();
    const service = await bootFor(t, { dir, env: { ...quick, SLUICE_AUTH_PASSWORD: password } });
    const client = openClient(service);
    const app = await makeApp(service, 'script');
    const seats = [await takeSeat(client), await takeSeat(client, app.password)];
    const files = ['sluice.db', 'sluice.db-wal'].map((name) => join(dir, name));
    const bytes = Buffer.concat(files.map((path) => readFileSync(path)));
    const secrets = [password, app.password, ...seats.flatMap(({ sid, csrf }) => [sid, csrf])];
    for (const secret of secrets) assert.equal(bytes.indexOf(secret), -1);
  });
});

async function turns(client: Client, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const seat = await takeSeat(client);
    assert.equal((await client.send('DELETE', '/api/auth', { headers: bySid(seat) })).status, 410);
  }
}

async function revisionsOf(service: Service): Promise<unknown> {
  const reply = await openClient(service, { via: 'control' }).send('GET', '/api/revisions');
  return at(reply.body, 'revisions');
}

const identity = (row: unknown): unknown[] =>
  ['id', 'remote_addr', 'user_agent', 'app', 'app_id', 'login_at'].map((field) => at(row, field));
