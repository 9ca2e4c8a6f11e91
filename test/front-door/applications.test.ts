// Application passwords: created, shown once, used, limited in their rights, removed. One without `sudo` is
// for scripts: it permits daily work, but not to change credentials, settings, other sessions or past
// revisions, to end the service, or to read files of its machine.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { assertError, at, describe as shown, listAt, type Reply } from '../running/reply.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient } from './support/client.ts';
import {
  bootWithPassword,
  bySid,
  isSessionValid,
  login,
  createApp,
  sessionsOf,
  openSession,
} from './support/session.ts';

const startedSeconds = Math.floor(Date.now() / 1000);
const service = await bootWithPassword({ env: { ...cheap, SLUICE_AUTH_MAX_SESSIONS: '100' } });
after(() => service.stop());
const guest = openClient(service);
const owner = openClient(service, { headers: bySid(await openSession(guest)) });

describe('application passwords', { concurrency: 1 }, () => {
  test('POST /api/auth/app gets 201 with a password of 256 bits, which no other reply contains', async () => {
    const reply = await owner.send('POST', '/api/auth/app', { body: { name: 'Dashboard' } });
    assert.equal(reply.status, 201, shown(reply));
    const app = at(reply.body, 'app');
    const secret = String(at(app, 'password'));
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual([at(app, 'name'), at(app, 'sudo'), at(app, 'last_used')], ['Dashboard', false, null]);
    assertJustNow(at(app, 'created'));
    for (const path of ['/api/auth/app', '/api/revisions', '/api/config', '/api/auth/sessions']) {
      assert.ok(!(await owner.send('GET', path)).text.includes(secret), path);
    }
  });

  test('GET /api/auth/app has id, name, created, last used and sudo of each', async () => {
    const made = await createApp(service, 'Listed', true);
    const { body } = await owner.send('GET', '/api/auth/app');
    const row = listAt(body, 'apps').find((app) => at(app, 'id') === made.id);
    const fields = ['created', 'id', 'last_used', 'name', 'sudo'];
    assert.deepEqual(Object.keys(Object(row)).toSorted(), fields);
    assert.deepEqual([at(row, 'name'), at(row, 'sudo'), at(row, 'last_used')], ['Listed', true, null]);
  });

  test('`last_used` is the last login', async () => {
    const made = await createApp(service, 'Used');
    await openSession(guest, made.password);
    const { body } = await owner.send('GET', '/api/auth/app');
    const row = listAt(body, 'apps').find((app) => at(app, 'id') === made.id);
    assertJustNow(at(row, 'last_used'));
  });

  test('may have the same name', async () => {
    const [one, two] = [await createApp(service, 'Twin'), await createApp(service, 'Twin')];
    assert.notEqual(one.id, two.id);
    assert.notEqual(one.password, two.password);
  });

  const bad: readonly (readonly [name: string, body: unknown])[] = [
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is not a string', { name: 7 }],
    ['a name too long', { name: 'n'.repeat(256) }],
    ['sudo that is not a boolean', { name: 'x', sudo: 'yes' }],
  ];
  for (const [name, body] of bad) {
    test(`POST /api/auth/app with ${name} is refused with 400`, async () => {
      assertError(await owner.send('POST', '/api/auth/app', { body }), { status: 400, key: 'bad_request' });
    });
  }

  test('DELETE /api/auth/app/{id} gets 204, then 404, and ends only the sessions of that one', async () => {
    const [gone, kept] = [await createApp(service, 'Gone'), await createApp(service, 'Kept')];
    const sessions = [await openSession(guest, gone.password), await openSession(guest, gone.password)];
    const other = await openSession(guest, kept.password);
    const removed = await owner.send('DELETE', `/api/auth/app/${gone.id}`);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    for (const session of sessions) assert.equal(await isSessionValid(guest, session), false);
    assert.ok(await isSessionValid(guest, other));
    assertError(await login(guest, gone.password), { status: 401, key: 'unauthorized' });
    assertError(await owner.send('DELETE', `/api/auth/app/${gone.id}`), { status: 404 });
    assertError(await owner.send('DELETE', '/api/auth/app/none'), { status: 400 });
  });

  test('are removed with their sessions when their creation is undone', async () => {
    const made = await createApp(service, 'Undone');
    const { body } = await owner.send('GET', '/api/revisions?count=1');
    const session = await openSession(guest, made.password);
    const version = Number(at(body, 'revisions', 0, 'version'));
    assert.equal((await owner.send('POST', `/api/revisions/${version}:undo`)).status, 200);
    assertError(await login(guest, made.password), { status: 401 });
    assert.equal(await isSessionValid(guest, session), false);
  });
});

describe('a session of an application password', () => {
  const sudoOnly: readonly (readonly [what: string, method: string, path: string, body?: unknown])[] = [
    ['credentials: create an application password', 'POST', '/api/auth/app', { name: 'more', sudo: true }],
    ['credentials: remove one', 'DELETE', '/api/auth/app/999999'],
    ['credentials: request a second factor', 'POST', '/api/auth/totp'],
    ['credentials: switch it on', 'PUT', '/api/auth/totp', { totp: '123456' }],
    ['credentials: switch it off', 'DELETE', '/api/auth/totp', { totp: '123456' }],
    ['credentials: the password', 'PATCH', '/api/config', { config: { auth: { password: 'mine' } } }],
    ['settings: change', 'PATCH', '/api/config', { config: { dns: { blockTTL: 7 } } }],
    ['settings: add an item', 'PUT', '/api/config/dns/hosts/192.0.2.7%20printer.lan'],
    ['settings: remove an item', 'DELETE', '/api/config/dns/hosts/192.0.2.7%20printer.lan'],
    ['undo', 'POST', '/api/revisions/1:undo'],
    ['sessions of others', 'DELETE', '/api/auth/session/1'],
    ['sessions that do not exist', 'DELETE', '/api/auth/session/999999'],
    ['the log: forget it', 'POST', '/api/action/flush/logs'],
    ['the service: restart it', 'POST', '/api/action/restartdns'],
    ['a list in a file', 'POST', '/api/lists?type=block', { address: 'file:///etc/passwd' }],
    [
      'a list in a file among others',
      'POST',
      '/api/lists?type=allow',
      { address: ['https://a.invalid', 'FILE:///x'] },
    ],
    ['a list in a file, by PUT', 'PUT', '/api/lists/file%3A%2F%2F%2Fetc%2Fpasswd?type=block', {}],
    [
      'simulate a list in a file',
      'POST',
      '/api/simulate',
      { lists: { add: [{ address: 'file:///etc/passwd' }] } },
    ],
  ];
  for (const [what, method, path, body] of sudoOnly) {
    test(`without sudo is refused with 403: ${what}`, async () => {
      const app = await createApp(service, what);
      const limited = openClient(service, { headers: bySid(await openSession(guest, app.password)) });
      const before = await owner.send('GET', '/api/auth/app');
      const reply = await limited.send(method, path, { body });
      assertError(reply, { status: 403, key: 'forbidden' });
      const apps = await owner.send('GET', '/api/auth/app');
      assert.equal(listAt(apps.body, 'apps').length, listAt(before.body, 'apps').length);
    });
  }

  test('without sudo may read all, write groups and domains, switch blocking, and log out', async () => {
    const app = await createApp(service, 'daily');
    const session = await openSession(guest, app.password);
    const client = openClient(service, { headers: bySid(session) });
    const reads = ['groups', 'domains', 'config', 'revisions', 'auth/app', 'auth/sessions', 'auth/totp'];
    for (const path of reads) assert.equal((await client.send('GET', `/api/${path}`)).status, 200, path);
    const writes = [
      client.send('POST', '/api/groups', { body: { name: 'by an app' } }),
      client.send('POST', '/api/domains/deny/exact', { body: { domain: 'by-an-app.example' } }),
      client.send('POST', '/api/dns/blocking', { body: { blocking: true } }),
      client.send('POST', '/api/action/flush/cache'),
      client.send('POST', '/api/lists?type=block', { body: { address: 'https://by-an-app.invalid/' } }),
    ];
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    assert.deepEqual(statuses, [201, 201, 200, 200, 201]);
    const own = await ownId(client);
    assert.equal((await client.send('DELETE', `/api/auth/session/${own}`)).status, 204);
    assert.equal(await isSessionValid(guest, session), false);
  });

  test('without sudo may change an existing list in a file, which keeps its rights', async () => {
    const app = await createApp(service, 'file');
    const limited = openClient(service, { headers: bySid(await openSession(guest, app.password)) });
    const body = { address: 'file:///nowhere/list.txt', enabled: false };
    assert.equal((await owner.send('POST', '/api/lists?type=block', { body })).status, 201);
    const path = `/api/lists/${encodeURIComponent(body.address)}?type=block`;
    const put = await limited.send('PUT', path, { body: { comment: 'x', enabled: false } });
    assert.deepEqual([put.status, at(put.body, 'lists', 0, 'added_with')], [200, 'sudo'], shown(put));
  });

  test('gives its rights to the lists that it adds, and a later change with sudo adds none', async () => {
    const app = await createApp(service, 'rights');
    const limited = openClient(service, { headers: bySid(await openSession(guest, app.password)) });
    const path = `/api/lists/${encodeURIComponent('https://rights.invalid/')}?type=block`;
    const rights = async (sent: Promise<Reply>) => at((await sent).body, 'lists', 0, 'added_with');
    assert.equal(await rights(limited.send('PUT', path, { body: { enabled: false } })), 'limited');
    assert.equal(await rights(owner.send('PUT', path, { body: {} })), 'limited');
    assert.equal(await rights(owner.send('PATCH', path, { body: { added_with: 'sudo' } })), 'limited');
    await owner.send('DELETE', path);
    assert.equal(await rights(owner.send('PUT', path, { body: {} })), 'sudo');
  });

  test('with sudo may do what a session of the password may', async () => {
    const app = await createApp(service, 'trusted', true);
    const client = openClient(service, { headers: bySid(await openSession(guest, app.password)) });
    const settings = { body: { config: { dns: { blockTTL: 9 } } } };
    assert.equal((await client.send('PATCH', '/api/config', settings)).status, 200);
    assert.equal((await client.send('POST', '/api/auth/app', { body: { name: 'by sudo' } })).status, 201);
    const other = await openSession(guest);
    const row = (await sessionsOf(service)).at(-1);
    assert.equal((await client.send('DELETE', `/api/auth/session/${Number(at(row, 'id'))}`)).status, 204);
    assert.equal(await isSessionValid(guest, other), false);
  });
});

/** Unix seconds since this file began. */
function assertJustNow(seconds: unknown): void {
  assert.ok(Number(seconds) >= startedSeconds && Number(seconds) <= Date.now() / 1000, String(seconds));
}

async function ownId(client: ReturnType<typeof openClient>): Promise<number> {
  const { body } = await client.send('GET', '/api/auth/sessions');
  return Number(
    at(
      listAt(body, 'sessions').find((row) => at(row, 'current_session') === true),
      'id',
    ),
  );
}
