// Edges where two things meet: an entry that was moved and is moved again, a group that is gone when a change
// is undone, a field that no item has, changes of one setting at once, requests that would cost too much.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at } from '../running/reply.ts';
import { quick } from './support/session.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const call = (method: string, path: string, body?: unknown) =>
  service.call(method, path, body === undefined ? {} : { body: JSON.stringify(body) });

test('a move that is sent twice changes nothing the second time', async () => {
  await call('POST', '/api/domains/allow/exact', { domain: 'moved.example' });
  for (let count = 0; count < 2; count++) {
    const reply = await call('PUT', '/api/domains/deny/exact/moved.example', {
      type: 'allow',
      kind: 'exact',
    });
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, 'domains', 0, 'type'), 'deny');
  }
});

test('an expiry for a group that the entry is not in is refused', async () => {
  const body = { domain: 'stranger.example', groups: [0], group_expiry: { 99: 4_000_000_000 } };
  assertError(await call('POST', '/api/domains/deny/exact', body), { status: 400, message: 'Unknown group' });
});

test('a field of a merge patch that no item has is named', async () => {
  await call('POST', '/api/groups', { name: 'typo' });
  const reply = await call('PATCH', '/api/groups/typo', { comment: 'x', enabeld: false });
  assert.deepEqual([reply.status, at(reply.body, 'ignored')], [200, ['enabeld']]);
});

test('undoing a change that names a group that is gone leaves that group out', async () => {
  const made = await call('POST', '/api/groups', { name: 'short-lived' });
  const id = Number(at(made.body, 'groups', 0, 'id'));
  await call('POST', '/api/domains/deny/exact', { domain: 'left.example', groups: [0, id] });
  await call('PATCH', '/api/domains/deny/exact/left.example', { groups: [0] });
  const newest = await call('GET', '/api/revisions?count=1');
  await call('DELETE', '/api/groups/short-lived');
  const undone = await call(
    'POST',
    `/api/revisions/${String(at(newest.body, 'revisions', 0, 'version'))}:undo`,
  );
  assert.equal(undone.status, 200);
  const now = await call('GET', '/api/domains/deny/exact/left.example');
  assert.deepEqual(at(now.body, 'domains', 0, 'groups'), [0]);
});

test('the default group alone in a :batchDelete is refused', async () => {
  assertError(await call('POST', '/api/groups:batchDelete', [{ item: 'Default' }]), { status: 403 });
});

test('items that are put at once are all there afterwards', async () => {
  const items = Array.from({ length: 10 }, (_, index) => `192.0.2.${index + 1}`);
  const replies = await Promise.all(items.map((item) => call('PUT', `/api/config/dns/upstreams/${item}`)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  const { body } = await call('GET', '/api/config/dns/upstreams');
  assert.deepEqual(new Set(Object(at(body, 'config', 'dns', 'upstreams'))), new Set(items));
});

test('a patch that would double an item again and again is refused at once', async () => {
  await call('POST', '/api/groups', { name: 'bomb' });
  const operations = Array.from({ length: 30 }, (_, index) => ({ op: 'copy', from: '', path: `/k${index}` }));
  assertError(await call('PATCH', '/api/groups/bomb', operations), { status: 400, message: 'Invalid patch' });
  assert.equal((await call('GET', '/api/health')).status, 200);
});

test('expressions beyond what one request may have are refused before they are compiled', async () => {
  const domain = Array.from({ length: 100 }, () => '\\pL'.repeat(400));
  assertError(await call('POST', '/api/domains/deny/regex', { domain }), { status: 400, key: 'regex_error' });
});
