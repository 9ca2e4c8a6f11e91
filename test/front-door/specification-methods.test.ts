// The specification's table of endpoints and of the meaning of HTTP methods, tested with groups, the resource
// that it mentions most, and with the blocking switch.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { assertEnvelope, assertError, at, listAt } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { bootWithPassword, bySid, openSession } from './support/session.ts';

const service = await bootWithPassword();
after(() => service.stop());
const guest = openClient(service);
const member = openClient(service, { headers: bySid(await openSession(guest)) });
const named = (body: unknown): unknown[] => listAt(body, 'groups').map((group) => at(group, 'name'));

describe('endpoints', () => {
  test('"GET /api/dns/blocking: 200, object with `blocking` (boolean)"', async () => {
    const reply = await member.send('GET', '/api/dns/blocking');
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, 'blocking'), true);
  });

  test('"GET /api/info/version: 200"', async () => {
    assertEnvelope(await member.send('GET', '/api/info/version'));
  });

  test('"GET /api/domains: 200"; entries have a `domain` string and an `enabled` boolean', async () => {
    await member.send('POST', '/api/domains/deny/exact', { body: { domain: 'ads.example', enabled: false } });
    const reply = await member.send('GET', '/api/domains');
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, 'domains', 0, 'domain'), 'ads.example');
    assert.equal(at(reply.body, 'domains', 0, 'enabled'), false);
  });

  test('"GET /api/groups: 200, list of groups"', async () => {
    const reply = await member.send('GET', '/api/groups');
    assert.equal(reply.status, 200);
    assert.deepEqual(named(reply.body), ['Default']);
  });

  test('"POST /api/groups: 201 when created"', async () => {
    const reply = await member.send('POST', '/api/groups', { body: { name: 'made' } });
    assert.equal(reply.status, 201);
    assert.deepEqual(named(reply.body), ['made']);
  });

  test('"GET /api/groups/{name}: 200, one group; 404 when absent"', async () => {
    assert.deepEqual(named((await member.send('GET', '/api/groups/made')).body), ['made']);
    assertError(await member.send('GET', '/api/groups/absent'), { status: 404 });
  });

  test('"PUT /api/groups/{name}: 200 or 204"', async () => {
    const reply = await member.send('PUT', '/api/groups/put', { body: { comment: 'new' } });
    assert.equal(reply.status, 200);
    assert.deepEqual(named(reply.body), ['put']);
  });

  test('"DELETE /api/groups/{name}: 200, 202 or 204; 404 on a second delete"', async () => {
    await member.send('POST', '/api/groups', { body: { name: 'gone' } });
    const first = await member.send('DELETE', '/api/groups/gone');
    assert.deepEqual([first.status, first.text], [204, '']);
    assertError(await member.send('DELETE', '/api/groups/gone'), { status: 404 });
  });

  test('"DELETE /api/auth: SID by any of the four methods; 410, no content"', async () => {
    const ways = [
      (sid: string) => guest.send('DELETE', `/api/auth?sid=${sid}`),
      (sid: string) => guest.send('DELETE', '/api/auth', { body: { sid } }),
      (sid: string) => guest.send('DELETE', '/api/auth', { headers: { 'X-SVC-SID': sid } }),
      (sid: string, csrf: string) =>
        guest.send('DELETE', '/api/auth', { headers: { cookie: `sid=${sid}`, 'X-SVC-CSRF': csrf } }),
    ];
    for (const way of ways) {
      const { sid, csrf } = await openSession(guest);
      const reply = await way(sid, csrf);
      assert.deepEqual([reply.status, reply.text], [410, '']);
      assert.equal(reply.headers['content-type'], undefined);
    }
  });
});

describe('HTTP method semantics', () => {
  test('"GET is safe and idempotent": it changes nothing', async () => {
    const [before, again] = [await revisions(), await revisions()];
    assert.deepEqual(before, again);
    await Promise.all(
      ['/api/groups', '/api/domains', '/api/dns/blocking', '/api/config'].map((path) =>
        member.send('GET', path),
      ),
    );
    assert.deepEqual(await revisions(), before);
  });

  test('"GET: 400 when malformed"', async () => {
    for (const path of ['/api/groups/%', '/api/groups/%ff', '/api/groups/%00', '/api/revisions?count=many']) {
      assertError(await member.send('GET', path), { status: 400, key: 'bad_request' });
    }
  });

  test('"POST: two identical requests typically produce an error"', async () => {
    const body = { name: 'twice' };
    assert.equal((await member.send('POST', '/api/groups', { body })).status, 201);
    assertError(await member.send('POST', '/api/groups', { body }), { status: 400, key: 'database_error' });
  });

  test('"POST: 200 with a body when no addressable resource results"', async () => {
    const reply = await member.send('POST', '/api/dns/blocking', { body: { blocking: true } });
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, 'blocking'), true);
  });

  test('"POST: 204 without"', async () => {
    const reply = await member.send('POST', '/api/groups:batchDelete', { body: [{ item: 'twice' }] });
    assert.deepEqual([reply.status, reply.text], [204, '']);
  });

  test('"PUT: create or replace a resource", and idempotent', async () => {
    for (const comment of ['first', 'second', 'second']) {
      const reply = await member.send('PUT', '/api/groups/replaced', { body: { comment } });
      assert.deepEqual([reply.status, at(reply.body, 'groups', 0, 'comment')], [200, comment]);
    }
    const bare = await member.send('PUT', '/api/groups/replaced', { body: {} });
    assert.equal(at(bare.body, 'groups', 0, 'comment'), null, 'a missing field gets its default');
  });

  test('"PATCH: update an existing resource with a list of differences"', async () => {
    const body = [{ op: 'replace', path: '/enabled', value: false }];
    const reply = await member.send('PATCH', '/api/groups/replaced', { body });
    assert.deepEqual([reply.status, at(reply.body, 'groups', 0, 'enabled')], [200, false]);
    assertError(await member.send('PATCH', '/api/groups/absent', { body }), { status: 404 });
  });

  test('"DELETE: idempotent. A repeated delete may give 404"', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      statuses.push((await member.send('DELETE', '/api/groups/replaced')).status);
    }
    assert.deepEqual(statuses, [204, 404, 404]);
  });
});

async function revisions(): Promise<unknown> {
  return at((await member.send('GET', '/api/revisions')).body, 'revisions');
}
