// The list of changes, and undo: every creation, change and deletion can be undone once, by whole changes, as
// long as no item of the change has been changed since. Secrets are neither shown nor restored.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { assertError, at, describe as shown, listAt, type Reply } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import {
  bootWithStoredPassword,
  bySid,
  createApp,
  password,
  setPassword,
  openSession,
} from './support/session.ts';

const startedSeconds = Math.floor(Date.now() / 1000);
const service = await bootWithStoredPassword();
after(() => service.stop());
const session = await openSession(openClient(service));
const client = openClient(service, { headers: bySid(session) });
const local = openClient(service, { via: 'control' });
const newest = async (): Promise<unknown> =>
  at((await client.send('GET', '/api/revisions?count=1')).body, 'revisions', 0);
const newestVersion = async (): Promise<number> => Number(at(await newest(), 'version'));
const undo = (version: unknown): Promise<Reply> =>
  client.send('POST', `/api/revisions/${String(version)}:undo`);
const undoNewest = async (): Promise<Reply> => undo(await newestVersion());
const refused = { status: 402, key: 'request_failed' };

describe('GET /api/revisions', { concurrency: 1 }, () => {
  test('lists the newest first, with actor, time, entity, before and after', async () => {
    await client.send('POST', '/api/groups', { body: { name: 'listed' } });
    await client.send('PATCH', '/api/groups/listed', { body: { comment: 'c' } });
    const { body } = await client.send('GET', '/api/revisions?count=2');
    const [changed, made] = listAt(body, 'revisions');
    assert.ok(Number(at(changed, 'id')) > Number(at(made, 'id')));
    assert.equal(at(made, 'before'), null);
    assert.equal(at(made, 'after', 'name'), 'listed');
    assert.deepEqual([at(changed, 'before', 'comment'), at(changed, 'after', 'comment')], [null, 'c']);
    assert.deepEqual([at(made, 'entity'), at(changed, 'key')], ['group', at(made, 'key')]);
    assert.match(String(at(made, 'actor')), /^session \d+ from 127\.0\.0\.1$/);
    assertJustNow(at(made, 'at'));
  });

  test('returns pages by `count` and `before`, and gets 400 for invalid ones', async () => {
    const { body: all } = await client.send('GET', '/api/revisions');
    const ids = listAt(all, 'revisions').map((revision) => Number(at(revision, 'id')));
    const { body: page } = await client.send('GET', `/api/revisions?count=1&before=${ids[0]}`);
    assert.deepEqual(
      listAt(page, 'revisions').map((revision) => at(revision, 'id')),
      [ids[1]],
    );
    for (const query of ['count=0', 'count=1001', 'count=x', 'before=0']) {
      assertError(await client.send('GET', `/api/revisions?${query}`), { status: 400 });
    }
  });
});

describe('POST /api/revisions/{version}:undo of a change with many items', { concurrency: 1 }, () => {
  const add = (...domains: readonly string[]): Promise<Reply> =>
    client.send('POST', '/api/domains/deny/exact', { body: { domain: domains } });
  const isThere = async (domain: string): Promise<boolean> =>
    (await client.send('GET', `/api/domains/deny/exact/${domain}`)).status === 200;

  test('undoes all items of a change at once, and undo of the undo restores them', async () => {
    await add('v1.example', 'v2.example', 'v3.example');
    const version = await newestVersion();
    const { body } = await client.send('GET', `/api/revisions?version=${version}`);
    assert.equal(listAt(body, 'revisions').length, 3);
    const undone = await undo(version);
    assert.equal(undone.status, 200, shown(undone));
    const { took: _took, ...reply } = Object(undone.body);
    assert.deepEqual(reply, { version: version + 1, undone: version, summary: '3 domains changed' });
    assert.deepEqual(await Promise.all(['v1.example', 'v3.example'].map(isThere)), [false, false]);
    assert.equal((await undo(version + 1)).status, 200);
    assert.deepEqual(await Promise.all(['v1.example', 'v3.example'].map(isThere)), [true, true]);
  });

  test('gets 402, names the item that has changed since, and changes nothing', async () => {
    await add('w1.example', 'w2.example', 'w3.example');
    const version = await newestVersion();
    await client.send('PATCH', '/api/domains/deny/exact/w2.example', { body: { comment: 'later' } });
    const refusal = await undo(version);
    assertError(refusal, refused);
    assert.match(String(at(refusal.body, 'error', 'hint')), /^The domain w2\.example has been changed again/);
    assert.deepEqual(await Promise.all(['w1.example', 'w3.example'].map(isThere)), [true, true]);
    assert.equal(await newestVersion(), version + 1, 'a refused undo creates no version');
  });

  test('undoes the deletion of a group together with its members', async () => {
    const group = await client.send('POST', '/api/groups', { body: { name: 'w4' } });
    const groups = [Number(at(group.body, 'groups', 0, 'id'))];
    await client.send('PUT', '/api/domains/deny/exact/w4.example', { body: { groups } });
    await client.send('DELETE', '/api/groups/w4');
    assert.equal((await undo(await newestVersion())).status, 200);
    const { body } = await client.send('GET', '/api/domains/deny/exact/w4.example');
    assert.deepEqual(at(body, 'domains', 0, 'groups'), groups);
  });

  test('undoes several settings at once, and gets 402 when one has changed since', async () => {
    const patch = (dns: object): Promise<Reply> =>
      client.send('PATCH', '/api/config', { body: { config: { dns } } });
    const read = async (): Promise<unknown> => {
      const dns = at((await client.send('GET', '/api/config/dns')).body, 'config', 'dns');
      return [at(dns, 'blockTTL'), at(dns, 'blocking', 'mode')];
    };
    const before = await read();
    await patch({ blockTTL: 91, blocking: { mode: 'NX' } });
    const version = await newestVersion();
    assert.deepEqual(await read(), [91, 'NX']);
    assert.equal((await undo(version)).status, 200);
    assert.deepEqual(await read(), before);
    assert.equal((await undo(version + 1)).status, 200);
    await patch({ blockTTL: 92 });
    assertError(await undo(version + 1), refused);
    assert.deepEqual(await read(), [92, 'NX']);
  });

  test('undoes a change of more than 1,000 items, which is one line in the list', async () => {
    const group = await client.send('POST', '/api/groups', { body: { name: 'many' } });
    const groups = [Number(at(group.body, 'groups', 0, 'id'))];
    for (const part of ['a', 'b']) {
      const domain = Array.from({ length: 600 }, (_, index) => `m${part}${index}.example`);
      const made = await client.send('POST', '/api/domains/deny/exact', { body: { domain, groups } });
      assert.equal(made.status, 201);
    }
    await client.send('DELETE', '/api/groups/many');
    const line = await newest();
    assert.deepEqual(at(line, 'restore_point', 'entities'), { domain: 1_200, group: 1 });
    assert.equal(at(line, 'restore_point', 'summary'), '1,200 domains and 1 group changed');
    const undone = await undo(at(line, 'version'));
    assert.equal(undone.status, 200, shown(undone));
    const { body } = await client.send('GET', '/api/domains/deny/exact/mb599.example');
    assert.deepEqual(at(body, 'domains', 0, 'groups'), groups);
    assert.equal((await undoNewest()).status, 200, 'also by the id of its line');
    assertError(await client.send('GET', '/api/groups/many'), { status: 404 });
  });

  test('gets 404 for an unknown version and 400 for a malformed one', async () => {
    assertError(await undo(999_999), { status: 404 });
    for (const version of ['0', 'x', '-1', '1.5']) assertError(await undo(version), { status: 400 });
  });
});

describe('POST /api/revisions/{version}:undo', { concurrency: 1 }, () => {
  test('undoes a creation, a change and a deletion of a group', async () => {
    const made = await client.send('POST', '/api/groups', { body: { name: 'u1', comment: 'first' } });
    const id = at(made.body, 'groups', 0, 'id');
    await client.send('PUT', '/api/groups/u1', { body: { name: 'u2', enabled: false } });
    const undone = await undoNewest();
    assert.equal(undone.status, 200, shown(undone));
    assert.equal(at(undone.body, 'version'), await newestVersion());
    const back = await client.send('GET', '/api/groups/u1');
    assert.deepEqual(
      [at(back.body, 'groups', 0, 'comment'), at(back.body, 'groups', 0, 'id')],
      ['first', id],
    );
    await client.send('DELETE', '/api/groups/u1');
    assert.equal((await undoNewest()).status, 200);
    assert.equal(
      at((await client.send('GET', '/api/groups/u1')).body, 'groups', 0, 'id'),
      id,
      'with its old id',
    );
    await client.send('POST', '/api/groups', { body: { name: 'u3' } });
    assert.equal((await undoNewest()).status, 200);
    assertError(await client.send('GET', '/api/groups/u3'), { status: 404 });
  });

  test('undoes an undo', async () => {
    await client.send('POST', '/api/groups', { body: { name: 'u4' } });
    assert.equal((await undoNewest()).status, 200);
    assert.equal((await undoNewest()).status, 200);
    assert.equal((await client.send('GET', '/api/groups/u4')).status, 200);
  });

  test('undoes a change and a deletion of a domain, with its groups and expiry', async () => {
    const group = await client.send('POST', '/api/groups', { body: { name: 'u5' } });
    const id = Number(at(group.body, 'groups', 0, 'id'));
    const path = '/api/domains/deny/exact/undo.example';
    const fields = { groups: [0, id], group_expiry: { [id]: 4_000_000_000 }, expires_at: 4_000_000_001 };
    await client.send('PUT', path, { body: fields });
    const before = at((await client.send('GET', path)).body, 'domains', 0);
    await client.send('PATCH', path, { body: { groups: [], expires_at: null } });
    assert.equal((await undoNewest()).status, 200);
    assert.deepEqual(steady((await client.send('GET', path)).body), steady({ domains: [before] }));
    await client.send('DELETE', path);
    assert.equal((await undoNewest()).status, 200);
    assert.deepEqual(steady((await client.send('GET', path)).body), steady({ domains: [before] }));
  });

  test('undoes a change of a setting', async () => {
    const read = async (): Promise<unknown> =>
      at((await client.send('GET', '/api/config/dns/blockTTL')).body, 'config', 'dns', 'blockTTL');
    const before = await read();
    await client.send('PATCH', '/api/config', { body: { config: { dns: { blockTTL: 77 } } } });
    assert.equal(await read(), 77);
    const undone = await undoNewest();
    assert.equal(undone.status, 200, shown(undone));
    assert.equal(await read(), before);
  });

  test('undoes the blocking switch', async () => {
    await client.send('POST', '/api/dns/blocking', { body: { blocking: false } });
    assert.equal((await undoNewest()).status, 200);
    assert.equal(at((await client.send('GET', '/api/dns/blocking')).body, 'blocking'), true);
  });

  test('gets 402 and changes nothing when the item has changed since', async () => {
    await client.send('POST', '/api/groups', { body: { name: 'c1' } });
    const version = await newestVersion();
    await client.send('PATCH', '/api/groups/c1', { body: { comment: 'later work' } });
    assertError(await undo(version), refused);
    const { body } = await client.send('GET', '/api/groups/c1');
    assert.equal(at(body, 'groups', 0, 'comment'), 'later work');
  });

  test('gets 402 the second time', async () => {
    await client.send('POST', '/api/groups', { body: { name: 'c2' } });
    const version = await newestVersion();
    assert.equal((await undo(version)).status, 200);
    assertError(await undo(version), refused);
  });

  test('gets 402 when the name of a deleted item is in use again', async () => {
    await client.send('POST', '/api/groups', { body: { name: 'c3' } });
    await client.send('DELETE', '/api/groups/c3');
    const version = await newestVersion();
    await client.send('POST', '/api/groups', { body: { name: 'c3' } });
    assertError(await undo(version), refused);
  });

  test('gets 402 for a setting that has changed since', async () => {
    await client.send('PATCH', '/api/config', { body: { config: { dns: { blockTTL: 5 } } } });
    const version = await newestVersion();
    await client.send('PATCH', '/api/config', { body: { config: { dns: { blockTTL: 6 } } } });
    assertError(await undo(version), refused);
  });

  test('gets 402 for the creation and the removal of a removed application password', async () => {
    const app = await createApp(service, 'undo');
    const made = await newestVersion();
    await client.send('DELETE', `/api/auth/app/${app.id}`);
    const removed = await newestVersion();
    assertError(await undo(made), refused);
    assertError(await undo(removed), refused);
  });

  test('gets 402 for a change of a secret, which no revision contains', async () => {
    await setPassword(service, 'another password 4711');
    const { text, body } = await local.send('GET', '/api/revisions?count=1');
    assert.ok(!text.includes('4711') && !text.includes('argon2') && !text.includes(password));
    const version = Number(at(body, 'revisions', 0, 'version'));
    assertError(await local.send('POST', `/api/revisions/${version}:undo`), refused);
    await openSession(openClient(service), 'another password 4711');
    await setPassword(service, password);
  });
});

/** Unix seconds since this file began. */
function assertJustNow(seconds: unknown): void {
  assert.ok(Number(seconds) >= startedSeconds && Number(seconds) <= Date.now() / 1000, String(seconds));
}

function steady(body: unknown): unknown {
  const { date_modified: _modified, ...rest } = Object(at(body, 'domains', 0));
  return rest;
}
