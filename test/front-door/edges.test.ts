// Edge cases where two features meet: an entry that is moved twice, a deleted group in a change that is
// undone, a field that no item has, concurrent changes of one setting, and requests that would cost too much.

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

test('an expiry for a group that the entry is not in is refused with 400', async () => {
  const body = { domain: 'stranger.example', groups: [0], group_expiry: { 99: 4_000_000_000 } };
  assertError(await call('POST', '/api/domains/deny/exact', body), { status: 400, message: 'Unknown group' });
});

test('a merge patch with a field that no item has names it in `ignored`', async () => {
  await call('POST', '/api/groups', { name: 'typo' });
  const reply = await call('PATCH', '/api/groups/typo', { comment: 'x', enabeld: false });
  assert.deepEqual([reply.status, at(reply.body, 'ignored')], [200, ['enabeld']]);
});

test('the undo of a change that names a deleted group leaves that group out', async () => {
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

test(':batchDelete of the default group alone is refused with 403', async () => {
  assertError(await call('POST', '/api/groups:batchDelete', [{ item: 'Default' }]), { status: 403 });
});

test('items that are added by concurrent PUTs are all stored', async () => {
  const items = Array.from({ length: 10 }, (_, index) => `192.0.2.${index + 1}`);
  const replies = await Promise.all(items.map((item) => call('PUT', `/api/config/dns/upstreams/${item}`)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  const { body } = await call('GET', '/api/config/dns/upstreams');
  assert.deepEqual(new Set(Object(at(body, 'config', 'dns', 'upstreams'))), new Set(items));
});

test('a patch that doubles an item repeatedly is refused at once', async () => {
  await call('POST', '/api/groups', { name: 'bomb' });
  const operations = Array.from({ length: 30 }, (_, index) => ({ op: 'copy', from: '', path: `/k${index}` }));
  assertError(await call('PATCH', '/api/groups/bomb', operations), { status: 400, message: 'Invalid patch' });
  assert.equal((await call('GET', '/api/health')).status, 200);
});

test('regular expressions above the limit of one request are refused before they are compiled', async () => {
  const domain = Array.from({ length: 100 }, () => '\\pL'.repeat(400));
  assertError(await call('POST', '/api/domains/deny/regex', { domain }), { status: 400, key: 'regex_error' });
});
