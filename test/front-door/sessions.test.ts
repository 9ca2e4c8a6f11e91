// The life of sessions: listed, ended one by one, opened and ended by the hundred, kept over a restart and
// over kill -9, and stored only as a hash. All tests share one data folder and start the service again where
// needed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at, listAt } from '../running/reply.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client } from './support/client.ts';
import {
  bySid,
  isSessionValid,
  createApp,
  password,
  quick,
  sessionsOf,
  openSession,
} from './support/session.ts';

const env = { ...quick, ...cheap };
let service = await boot({ env });
after(() => service.stop());
const { dir } = service;

const identity = (row: unknown): unknown[] =>
  ['id', 'remote_addr', 'user_agent', 'app', 'app_id', 'login_at'].map((field) => at(row, field));

describe('sessions', { concurrency: 1 }, () => {
  test('GET /api/auth/sessions lists all fields of each session except its SID', async () => {
    const local = openClient(service, { via: 'control' });
    const mine = openClient(service, { headers: { 'user-agent': 'mine/1' } });
    const other = openClient(service, { from: '127.0.0.2', headers: { 'user-agent': 'other/2' } });
    const app = await createApp(service, 'script');
    const beganSeconds = Math.floor(Date.now() / 1000);
    const [own, foreign] = [await openSession(mine), await openSession(other, app.password)];
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
      assert.ok(Number(start) >= beganSeconds && Number(start) <= Date.now() / 1000 + 1, JSON.stringify(row));
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

  test('DELETE /api/auth/session/{id} gets 204, then 404, and 400 for a malformed id', async () => {
    const client = openClient(service);
    const [own, other] = [await openSession(client), await openSession(client)];
    const id = Number(at((await sessionsOf(service))[1], 'id'));
    const remove = (text: unknown) =>
      client.send('DELETE', `/api/auth/session/${String(text)}`, { headers: bySid(own) });
    const first = await remove(id);
    assert.deepEqual([first.status, first.text], [204, '']);
    assert.deepEqual([await isSessionValid(client, other), await isSessionValid(client, own)], [false, true]);
    assertError(await remove(id), { status: 404, key: 'not_found' });
    for (const text of ['x', '-1', '1.5', '99999999999']) assertError(await remove(text), { status: 400 });
    const ownId = Number(at((await sessionsOf(service))[0], 'id'));
    assert.equal((await remove(ownId)).status, 204, 'also its own session');
    assert.equal(await isSessionValid(client, own), false);
  });

  test('200 logins and logouts leave no session, no revision and no larger database', async () => {
    const client = openClient(service);
    await turns(client, 50);
    const [before, sizeBefore] = [await revisions(), inDatabase('pragma page_count', 'page_count')];
    await turns(client, 150);
    assert.deepEqual(await sessionsOf(service), []);
    assert.deepEqual(await revisions(), before, 'a login creates no revision');
    assert.equal(inDatabase('select count(*) as n from sessions', 'n'), 0);
    const grown = inDatabase('pragma page_count', 'page_count') - sizeBefore;
    assert.ok(grown <= 4, `The database has grown by ${grown} pages.`);
  });

  test('are stored without SID, CSRF token or application password', async () => {
    const client = openClient(service);
    const app = await createApp(service, 'hashed');
    const sessions = [await openSession(client), await openSession(client, app.password)];
    const files = ['sluice.db', 'sluice.db-wal'].map((name) => join(dir, name));
    const bytes = Buffer.concat(files.map((path) => readFileSync(path)));
    const secrets = [password, app.password, ...sessions.flatMap(({ sid, csrf }) => [sid, csrf])];
    for (const secret of secrets) assert.equal(bytes.indexOf(secret), -1);
    for (const session of sessions) await client.send('DELETE', '/api/auth', { headers: bySid(session) });
  });

  test('are kept over a restart with all fields; one that was logged out is not', async () => {
    const client = openClient(service, { headers: { 'user-agent': 'kept/1' } });
    const app = await createApp(service, 'kept');
    const [own, limited] = [await openSession(client), await openSession(client, app.password)];
    const gone = await openSession(client);
    await client.send('DELETE', '/api/auth', { headers: bySid(gone) });
    const rows = await sessionsOf(service);
    await service.stop();
    service = await boot({ dir, env });
    assert.deepEqual((await sessionsOf(service)).map(identity), rows.map(identity));
    const again = openClient(service);
    assert.deepEqual(
      [
        await isSessionValid(again, own),
        await isSessionValid(again, limited),
        await isSessionValid(again, gone),
      ],
      [true, true, false],
    );
    const headers = bySid(limited);
    assertError(await again.send('PATCH', '/api/config', { headers, body: { config: {} } }), { status: 403 });
    assert.equal(await isSessionValid(openClient(service, { from: '127.0.0.2' }), own), false);
    const byCookie = { cookie: `sid=${own.sid}`, 'X-SVC-CSRF': own.csrf };
    assert.equal((await again.send('GET', '/api/groups', { headers: byCookie })).status, 200);
  });

  test('are kept over kill -9 after the login was acknowledged, and ended after the logout was', async () => {
    const client = openClient(service);
    const gone = await openSession(client);
    assert.equal((await client.send('DELETE', '/api/auth', { headers: bySid(gone) })).status, 410);
    const session = await openSession(client);
    await service.kill();
    service = await boot({ dir, env });
    const again = openClient(service);
    assert.deepEqual(
      [await isSessionValid(again, session), await isSessionValid(again, gone)],
      [true, false],
    );
  });
});

async function turns(client: Client, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const session = await openSession(client);
    assert.equal((await client.send('DELETE', '/api/auth', { headers: bySid(session) })).status, 410);
  }
}

async function revisions(): Promise<unknown> {
  const reply = await openClient(service, { via: 'control' }).send('GET', '/api/revisions');
  return at(reply.body, 'revisions');
}

/** A number from the database of the running service. */
function inDatabase(query: string, column: string): number {
  const database = new DatabaseSync(join(dir, 'sluice.db'), { readOnly: true });
  try {
    return Number(at(database.prepare(query).get(), column));
  } finally {
    database.close();
  }
}
