// Passwords in the addresses of lists: they are sent to the server of the list and shown nowhere. The masked
// address that is shown identifies the list in all operations.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import type { Service } from '../running/boot.ts';
import { openEvents } from '../running/event-stream.ts';
import { createServer } from '../running/http.ts';
import { runCommand } from '../running/program.ts';
import { assertError, at, describe as shown, listAt, type Reply } from '../running/reply.ts';
import { bootDns } from './support/service.ts';

const secret = 'hunter2-in-the-address';
const user = 'token-as-user';

type Scene = {
  readonly service: Service;
  /** With the password, and masked. */
  readonly address: string;
  readonly masked: string;
  /** The credentials that the list server received: user and password. */
  readonly asked: string[];
};

test('a password in the address of a list', async (t) => {
  const scene = await prepare(t);
  const { service, address, masked, asked } = scene;
  const events = await openEvents(service, '');
  t.after(() => events.close());
  const made = await add(service, address);
  assert.equal(made.status, 201, shown(made));
  const path = pathOf(masked);
  const update = (): Promise<Reply> => service.call('POST', '/api/action/gravity');

  await t.test('is sent to the server, and no reply, event, log line or file shows it', async () => {
    const updated = await update();
    assert.deepEqual([at(updated.body, 'result', 'lists', 1, 'status'), asked], [1, [`${user}:${secret}`]]);
    await events.seen('lists.compiled');
    await events.seen('policy.changed');
    const texts = [made.text, JSON.stringify(made.headers), updated.text, events.text(), service.log()];
    for (const text of [
      ...texts,
      ...(await repliesOf(service, path)),
      ...filesOf(service),
      revisionsOf(service),
    ])
      assert.ok(!text.includes(secret) && !text.includes(user), text);
    assert.equal(at(made.body, 'lists', 0, 'address'), masked);
    assert.equal(made.headers['location'], path);
  });

  await t.test('is kept when the list is read and written back with its masked address', async () => {
    const read = at((await service.call('GET', path)).body, 'lists', 0);
    const put = await service.call('PUT', path, { body: { ...Object(read), comment: 'put' } });
    assert.equal(put.status, 200, shown(put));
    const patched = await service.call('PATCH', path, { body: { comment: 'patched' } });
    assert.deepEqual([patched.status, at(patched.body, 'lists', 0, 'address')], [200, masked]);
    assert.equal(at((await update()).body, 'result', 'lists', 1, 'problem'), null);
    assert.equal(asked.at(-1), `${user}:${secret}`);
  });

  await t.test('is not replaced by its mask or another password, but refused as a duplicate', async () => {
    const other = address.replace(secret, 'another');
    for (const one of [masked, address, other]) {
      const reply = await add(service, one);
      assertError(reply, { status: 400, key: 'database_error' });
      assert.equal(at(reply.body, 'error', 'hint', 'argument'), one, 'The hint has the submitted address.');
      assert.equal(at(reply.body, 'processed', 'errors', 0, 'item'), masked);
    }
    assertError(await service.call('PUT', pathOf(other), { body: {} }), {
      status: 400,
      key: 'database_error',
    });
    const unknown = 'http://********@lists.invalid/';
    for (const reply of [
      await add(service, unknown),
      await service.call('PUT', pathOf(unknown), { body: {} }),
    ])
      assertError(reply, { status: 400, message: 'Invalid address of a list', hint: /password is masked/ });
  });

  await t.test('does not prevent the undo of a change, but that of a deletion', async () => {
    assert.equal(await undoLast(service), 200);
    assert.equal(at((await service.call('GET', path)).body, 'lists', 0, 'comment'), 'put');
    assert.equal((await service.call('DELETE', path)).status, 204);
    assert.equal(await undoLast(service), 402);
    assertError(await service.call('GET', path), { status: 404 });
  });

  await t.test('does not prevent commands and :batchDelete from finding the list', async () => {
    await add(service, address);
    const set = await runCommand(['lists', 'set', masked, '--disable'], { dir: service.dir });
    assert.deepEqual([set.code, set.err], [0, '']);
    const id = String(at((await service.call('GET', path)).body, 'lists', 0, 'id'));
    const setById = await runCommand(['lists', 'set', id, '--enable'], { dir: service.dir });
    assert.deepEqual([setById.code, setById.err], [0, '']);
    assert.equal(at((await service.call('GET', path)).body, 'lists', 0, 'enabled'), true);
    const body = [{ item: masked, type: 'block' }];
    assert.equal((await service.call('POST', '/api/lists:batchDelete', { body })).status, 204);
  });
});

async function prepare(t: TestContext): Promise<Scene> {
  const asked: string[] = [];
  const web = createServer(({ headers }, reply) => {
    asked.push(Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString());
    reply.end('ads.example\n');
  }).listen(0, '127.0.0.1');
  t.after(() => web.close());
  await once(web, 'listening');
  const service = await bootDns(t, { env: { SLUICE_LOG_LEVEL: 'debug' } });
  const { body } = await service.call('GET', '/api/lists');
  const fetched = listAt(body, 'lists').filter((list) => String(at(list, 'address')).startsWith('https:'));
  for (const list of fetched) await service.call('DELETE', pathOf(String(at(list, 'address'))));
  // The address of a listening TCP server is an object.
  const host = `127.0.0.1:${(web.address() as AddressInfo).port}/list`;
  return { service, address: `http://${user}:${secret}@${host}`, masked: `http://********@${host}`, asked };
}

const pathOf = (address: string): string => `/api/lists/${encodeURIComponent(address)}?type=block`;

const add = (service: Service, address: string): Promise<Reply> =>
  service.call('POST', '/api/lists?type=block', { body: { address } });

/** The replies of all endpoints and commands that name lists. */
async function repliesOf(service: Service, path: string): Promise<string[]> {
  const paths = [
    '/api/lists',
    '/api/lists?type=block',
    path,
    path.replace('?', '/copies?'),
    '/api/revisions',
    '/api/search/ads.example',
    '/api/explain?domain=ads.example&resolve=false',
    '/api/stats/lists',
    '/api/info/messages',
    '/api/logs/ftl',
    '/api/logs/webserver',
    '/metrics',
    '/api/config',
    '/api/status',
  ];
  const replies = await Promise.all(paths.map((one) => service.call('GET', one)));
  for (const reply of replies) assert.equal(reply.status, 200, shown(reply));
  return replies.map(({ text, headers }) => `${text} ${JSON.stringify(headers)}`);
}

/**
 * The files of the data folder, except the database, which needs the address for downloads, and compiled
 * code, which all tests share: it contains this file.
 */
function filesOf({ dir }: Service): string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && !file.name.startsWith('sluice.db'))
    .filter(({ parentPath }) => !parentPath.includes('compile-cache'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
}

function revisionsOf({ dir }: Service): string {
  const database = new DatabaseSync(join(dir, 'sluice.db'), { readOnly: true });
  const rows = database.prepare('select * from revisions').all();
  database.close();
  return JSON.stringify(rows);
}

async function undoLast(service: Service): Promise<number> {
  const { body } = await service.call('GET', '/api/revisions?count=1');
  const version = Number(at(body, 'revisions', 0, 'version'));
  return (await service.call('POST', `/api/revisions/${version}:undo`)).status;
}
