// Subscribed lists from outside: their fields, the type in the query, one and many at once, addresses in
// paths, replacing, patches, groups, batches, conditional requests, undo and the limit on their number.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at, describe as shown, listAt, type Reply } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { quick } from './support/session.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const client = openClient(service);
const post = (body: unknown, query = '?type=block') => client.send('POST', `/api/lists${query}`, { body });
const pathOf = (address: string, query = '?type=block') =>
  `/api/lists/${encodeURIComponent(address)}${query}`;
const first = ({ body }: Reply): unknown => at(body, 'lists', 0);
const addressesAt = async (path: string): Promise<unknown[]> =>
  listAt((await client.send('GET', path)).body, 'lists').map((one) => at(one, 'address'));
const groupId = async (name: string): Promise<number> =>
  Number(at((await client.send('POST', '/api/groups', { body: { name } })).body, 'groups', 0, 'id'));
const sqlMessage = 'UNIQUE constraint failed: adlist.address, adlist.type';
const url = (name: string): string => `https://lists.invalid/${name}.txt`;

describe('/api/lists', () => {
  test('GET on a new service has one list, enabled, in the default group', async () => {
    const { body } = await client.send('GET', '/api/lists');
    const hosts = listAt(body, 'lists').find((list) => String(at(list, 'address')).startsWith('https:'));
    assert.deepEqual([at(hosts, 'type'), at(hosts, 'enabled'), at(hosts, 'groups')], ['block', true, [0]]);
    assert.deepEqual(Object.keys(Object(body)).toSorted(), ['lists', 'took']);
  });

  test('POST gets 201 with Location and the list, which has all fields and no others', async () => {
    const reply = await post({ address: url('fields') });
    assert.equal(reply.status, 201, shown(reply));
    assert.equal(reply.headers['location'], '/api/lists/https%3A%2F%2Flists.invalid%2Ffields.txt?type=block');
    const { id, date_added: added, date_modified: modified, status: _status, ...rest } = Object(first(reply));
    assert.deepEqual(rest, {
      address: url('fields'),
      type: 'block',
      comment: null,
      groups: [0],
      enabled: true,
      added_with: 'sudo',
      date_updated: 0,
      number: 0,
      invalid_domains: 0,
      abp_entries: 0,
      held: false,
      group_expiry: {},
    });
    assert.ok([id, added, modified].every((value) => Number.isInteger(value)));
    assert.deepEqual(at(reply.body, 'processed'), { success: [{ item: url('fields') }], errors: [] });
    const found = await client.send('GET', reply.headers['location']);
    assert.equal(at(first(found), 'address'), url('fields'));
  });

  test('an address may be a block list and an allow list: GET shows both, or one by `type`', async () => {
    const address = url('both');
    assert.equal((await post({ address })).status, 201);
    assert.equal((await post({ address }, '?type=allow')).status, 201);
    const types = async (query: string): Promise<unknown[]> =>
      listAt((await client.send('GET', pathOf(address, query))).body, 'lists').map((one) => at(one, 'type'));
    assert.deepEqual(await types(''), ['block', 'allow']);
    assert.deepEqual(await types('?type=allow'), ['allow']);
    assert.deepEqual(await addressesAt('/api/lists?type=allow'), [address]);
    assert.ok(!(await addressesAt('/api/lists?type=block')).includes(url('absent')));
  });

  test('GET of an absent list gets 404', async () => {
    for (const query of ['', '?type=block', '?type=allow'])
      assertError(await client.send('GET', pathOf(url('absent'), query)), { status: 404, key: 'not_found' });
  });
});

describe('`type` in the query', () => {
  const path = pathOf(url('typed'), '');
  const asking: readonly (readonly [method: string, path: string, body: unknown])[] = [
    ['POST', '/api/lists', { address: url('typed'), type: 'block' }],
    ['PUT', path, { type: 'block' }],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path, undefined],
  ];
  for (const [method, where, body] of asking) {
    test(`is required by ${method}: 400 without it and with an unknown one`, async () => {
      const missing = { status: 400, key: 'bad_request', message: /"type" parameter.*allow or block/ };
      const reply = await client.send(method, where, { body });
      assertError(reply, { status: missing.status, key: missing.key });
      assert.match(String(at(reply.body, 'error', 'message')), missing.message);
      const wrong = await client.send(method, `${where}?type=deny`, { body });
      assertError(wrong, { status: 400, key: 'bad_request', hint: /type/ });
      assertError(await client.send('GET', path), { status: 404 });
    });
  }

  test('that is unknown gets 400, also where it is optional', async () => {
    assertError(await client.send('GET', '/api/lists?type=deny'), { status: 400 });
    assertError(await client.send('GET', `${path}?type=deny`), { status: 400 });
  });

  test('may be empty, which means the same as absent', async () => {
    assert.equal((await client.send('GET', '/api/lists?type=')).status, 200);
    assertError(await client.send('POST', '/api/lists?type=', { body: { address: url('empty') } }), {
      status: 400,
    });
  });
});

describe('POST /api/lists', () => {
  for (const body of [{}, { address: '' }, { address: [] }, { address: 5 }, { address: [5] }]) {
    test(`with ${JSON.stringify(body)}, without a usable address, is refused with 400`, async () => {
      const message = 'No "address" string in body data';
      assertError(await post(body), { status: 400, key: 'bad_request', message });
    });
  }

  test('of one duplicate is refused with the duplicate error and `processed`', async () => {
    await post({ address: url('dup') });
    const reply = await post({ address: url('dup'), enabled: false });
    const hint = { argument: url('dup'), enabled: false, sql_msg: sqlMessage };
    const message = 'Could not add to gravity database';
    assertError(reply, { status: 400, key: 'database_error', message, hint });
    const errors = [{ item: url('dup'), error: sqlMessage }];
    assert.deepEqual(at(reply.body, 'processed'), { success: [], errors });
  });

  test('of several gets 201 when at least one was created; a blank in one refuses all', async () => {
    const reply = await post({ address: [url('m1'), url('dup'), url('m2')], comment: 'all' });
    assert.equal(reply.status, 201, shown(reply));
    const made = listAt(reply.body, 'lists').map((one) => at(one, 'address'));
    assert.deepEqual([made, at(first(reply), 'comment')], [[url('m1'), url('m2')], 'all']);
    assert.equal(at(reply.body, 'processed', 'errors', 0, 'item'), url('dup'));
    for (const blank of ['a b', 'a\tb', 'a\nb', ' a', 'a\u00a0b']) {
      const refused = await post({ address: [url('fine'), blank] });
      const message = 'Spaces, newlines and tabs are not allowed in domains and URLs';
      assertError(refused, { status: 400, key: 'bad_request', message, hint: blank });
    }
    assertError(await client.send('GET', pathOf(url('fine'))), { status: 404 });
  });

  const addresses: readonly string[] = [
    'file:///var/lists/own.txt',
    'https://lists.invalid/a?b=c&d=%2F#e',
    'https://lists.invalid/ü/中',
    'HTTP://lists.invalid/a@b',
    `https://lists.invalid/${'l'.repeat(2_048 - 22)}`,
  ];
  for (const address of addresses) {
    test(`of ${address.slice(0, 40)} stores it unchanged, and its path finds it`, async () => {
      const made = await post({ address, enabled: false });
      assert.equal(at(first(made), 'address'), address, shown(made));
      const location = String(made.headers['location']);
      assert.equal(at(first(await client.send('GET', location)), 'address'), address);
      assert.equal((await client.send('DELETE', location)).status, 204);
      assertError(await client.send('GET', location), { status: 404 });
    });
  }

  const noAddresses: readonly string[] = [
    '../..',
    '%2F',
    'lists.invalid/a.txt',
    'https:lists.invalid/a.txt',
    'https://',
    'https://lists.invalid:port/',
    'ftp://lists.invalid/a.txt',
    'data:text/plain,ads.example',
    'sluice:other',
    'file:a.txt',
    'file://var/lists/own.txt',
  ];
  for (const address of noAddresses) {
    test(`${address} is refused with 400 by POST, PUT and a simulation`, async () => {
      const message = 'Invalid address of a list';
      const refused = { status: 400, key: 'bad_request', message, hint: /write (?:https|file):\/\// };
      assertError(await post({ address: [url('fine'), address] }), refused);
      assertError(await client.send('PUT', pathOf(address), { body: {} }), refused);
      const body = { lists: { add: [{ address }] } };
      assertError(await client.send('POST', '/api/simulate', { body }), refused);
      assertError(await client.send('GET', pathOf(url('fine'))), { status: 404 });
    });
  }

  test('of an address above the limit of characters gets 400, and so does PUT', async () => {
    const address = `https://lists.invalid/${'l'.repeat(2_048 - 21)}`;
    assertError(await post({ address }), { status: 400 });
    assertError(await client.send('PUT', pathOf(address), { body: {} }), { status: 400 });
  });
});

describe('PUT and PATCH of lists', () => {
  test('PUT creates or replaces: fields left out get their defaults, groups and id stay', async () => {
    const group = await groupId('put');
    const path = pathOf(url('put'), '?type=allow');
    const made = await client.send('PUT', path, { body: { comment: 'c', enabled: false, groups: [group] } });
    assert.deepEqual([made.status, at(first(made), 'type')], [200, 'allow'], shown(made));
    const replaced = first(await client.send('PUT', path, { body: {} }));
    assert.deepEqual(
      ['comment', 'enabled', 'groups', 'id'].map((field) => at(replaced, field)),
      [null, true, [group], at(first(made), 'id')],
    );
    assertError(await client.send('PUT', pathOf('a b'), { body: {} }), { status: 400, hint: 'a b' });
  });

  test('PATCH accepts a merge patch and a list of operations, and ignores read-only fields', async () => {
    const made = first(await post({ address: url('patch'), comment: 'old' }));
    const path = pathOf(url('patch'));
    const merged = await client.send('PATCH', path, {
      body: { enabled: false, status: 3, number: 7, id: 1 },
    });
    const fields = ['enabled', 'comment', 'number', 'id'].map((field) => at(first(merged), field));
    assert.deepEqual(fields, [false, 'old', 0, at(made, 'id')], shown(merged));
    assert.deepEqual(listAt(merged.body, 'ignored'), ['status', 'number', 'id']);
    const body = [{ op: 'remove', path: '/comment' }];
    assert.equal(at(first(await client.send('PATCH', path, { body })), 'comment'), null);
    for (const wrong of [{ enabled: 'no' }, { groups: [4_711] }, [{ op: 'remove', path: '/absent' }]])
      assertError(await client.send('PATCH', path, { body: wrong }), { status: 400, key: 'bad_request' });
    assertError(await client.send('PATCH', pathOf(url('absent')), { body: {} }), { status: 404 });
  });
});

describe('groups of a list', () => {
  test('are set by id with an expiry; an unknown one gets 400; a deleted one is removed', async () => {
    const id = await groupId('g1');
    const body = { address: url('grouped'), groups: [id, 0, id], group_expiry: { [id]: 4_000_000_000 } };
    const made = first(await post(body));
    assert.deepEqual([at(made, 'groups'), at(made, 'group_expiry')], [[0, id], { [id]: 4_000_000_000 }]);
    assertError(await post({ address: url('unknown'), groups: [4_711] }), { status: 400, hint: /4711/ });
    assertError(await post({ address: url('unknown'), group_expiry: { [id]: 5 } }), { status: 400 });
    assertError(await client.send('GET', pathOf(url('unknown'))), { status: 404 });
    const stranger = { body: { group_expiry: { 4711: 4_000_000_000 } } };
    assertError(await client.send('PATCH', pathOf(url('grouped')), stranger), { status: 400, hint: /4711/ });
    assert.equal((await client.send('DELETE', '/api/groups/g1')).status, 204);
    const left = first(await client.send('GET', pathOf(url('grouped'))));
    assert.deepEqual([at(left, 'groups'), at(left, 'group_expiry')], [[0], {}]);
  });
});

describe('deleting lists, conditional requests, undo:', () => {
  test('DELETE gets 204, then 404, and keeps the list of the other type', async () => {
    await post({ address: url('gone') });
    await post({ address: url('gone') }, '?type=allow');
    assert.equal((await client.send('DELETE', pathOf(url('gone')))).status, 204);
    assertError(await client.send('DELETE', pathOf(url('gone'))), { status: 404 });
    assert.equal((await client.send('GET', pathOf(url('gone'), '?type=allow'))).status, 200);
  });

  test(':batchDelete uses the type of the item, else of the query, else finds nothing', async () => {
    await post({ address: ['x1', 'x2', 'x3'].map(url) });
    const batch = (body: unknown, query = '') =>
      client.send('POST', `/api/lists:batchDelete${query}`, { body });
    assertError(await batch([{ item: url('x1') }]), { status: 404 });
    assertError(await batch([{ item: url('x1'), type: 'allow' }]), { status: 404 });
    assert.equal((await batch([{ item: url('x1'), type: 'block' }, { item: 'absent' }])).status, 204);
    assert.equal((await batch([{ item: url('x2') }], '?type=block')).status, 204);
    assert.deepEqual(
      (await addressesAt('/api/lists')).filter((address) => /x\d\.txt/.test(String(address))),
      [url('x3')],
    );
    for (const body of [{}, ['x3'], [{ type: 'block' }], [{ item: url('x3'), type: 'deny' }]])
      assertError(await batch(body), { status: 400 });
  });

  test('PUT, PATCH and DELETE with an old If-Match are refused with 412', async () => {
    const path = pathOf(url('matched'));
    const old = String((await post({ address: url('matched') })).headers['etag']);
    const changed = await client.send('PATCH', path, { body: { comment: 'changed' } });
    const tag = String(changed.headers['etag']);
    assert.equal(String((await client.send('GET', path)).headers['etag']), tag);
    for (const [method, body] of [
      ['PUT', {}],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const) {
      const headers = { 'if-match': old };
      assertError(await client.send(method, path, { body, headers }), { status: 412 });
    }
    assert.equal((await client.send('DELETE', path, { headers: { 'if-match': tag } })).status, 204);
    const headers = { 'if-match': '*' };
    assertError(await client.send('PUT', path, { body: {}, headers }), { status: 412 });
  });

  test('undo reverts a creation, a change and a deletion', async () => {
    const path = pathOf(url('undone'));
    const undo = async (): Promise<number> => {
      const { body } = await client.send('GET', '/api/revisions?count=1');
      assert.equal(at(body, 'revisions', 0, 'entity'), 'list');
      const version = Number(at(body, 'revisions', 0, 'version'));
      return (await client.send('POST', `/api/revisions/${version}:undo`)).status;
    };
    const made = first(await post({ address: url('undone'), comment: 'first' }));
    await client.send('PUT', path, { body: { comment: 'second' } });
    assert.equal(await undo(), 200);
    assert.equal(at(first(await client.send('GET', path)), 'comment'), 'first');
    await client.send('DELETE', path);
    assert.equal(await undo(), 200);
    assert.equal(at(first(await client.send('GET', path)), 'id'), at(made, 'id'));
    await post({ address: url('undone-too') });
    assert.equal(await undo(), 200);
    assertError(await client.send('GET', pathOf(url('undone-too'))), { status: 404 });
  });
});

test('POST of list 1,001 is refused', async () => {
  const there = (await addressesAt('/api/lists')).length;
  const many = Array.from({ length: 1_000 - there }, (_, index) => url(`many-${index}`));
  const tooMany = await post({ address: [...many, url('over')], enabled: false });
  assertError(tooMany, { status: 400, key: 'bad_request', message: 'The collection is full' });
  assert.equal((await post({ address: many, enabled: false })).status, 201);
  assertError(await client.send('PUT', pathOf(url('over')), { body: {} }), { status: 400, hint: /1000/ });
  assert.equal((await client.send('PUT', pathOf(url('many-0')), { body: { enabled: false } })).status, 200);
});
