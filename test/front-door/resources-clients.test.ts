// Configured clients from outside: their fields, accepted and refused identifiers and their canonical form,
// one and many at once, replacing, patches, groups, batches, conditional requests and undo.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at, describe as shown, listAt, type Reply } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { quick } from './support/session.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const client = openClient(service);
const post = (body: unknown) => client.send('POST', '/api/clients', { body });
const pathOf = (text: string) => `/api/clients/${encodeURIComponent(text)}`;
const first = ({ body }: Reply): unknown => at(body, 'clients', 0);
const groupId = async (name: string): Promise<number> =>
  Number(at((await client.send('POST', '/api/groups', { body: { name } })).body, 'groups', 0, 'id'));
const sqlMessage = 'UNIQUE constraint failed: client.ip';

describe('/api/clients', () => {
  test('GET on a new service gets an empty list without `processed`', async () => {
    const { body } = await client.send('GET', '/api/clients');
    assert.deepEqual(Object.keys(Object(body)).toSorted(), ['clients', 'took']);
    assert.deepEqual(at(body, 'clients'), []);
  });

  test('POST gets 201 with Location and the client, which has all fields and no others', async () => {
    const reply = await post({ client: '192.0.2.0/24', comment: 'all of them' });
    assert.equal(reply.status, 201, shown(reply));
    assert.equal(reply.headers['location'], '/api/clients/192.0.2.0%2F24');
    const { id, date_added: added, date_modified: modified, ...rest } = Object(first(reply));
    assert.deepEqual(rest, {
      client: '192.0.2.0/24',
      name: '',
      comment: 'all of them',
      groups: [0],
      group_expiry: {},
    });
    assert.ok([id, added, modified].every((value) => Number.isInteger(value)));
    assert.deepEqual(at(reply.body, 'processed'), { success: [{ item: '192.0.2.0/24' }], errors: [] });
    const { body } = await client.send('GET', '/api/clients');
    assert.deepEqual(at(body, 'clients', 0), first(reply));
  });
});

describe('the identifier of a client', () => {
  const pairs: readonly (readonly [sent: string, stored: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.8', '192.0.2.8'],
    ['2001:DB8:0::0A', '2001:db8::a'],
    ['198.51.100.77/25', '198.51.100.0/25'],
    ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
    ['AA:BB:cc:DD:ee:FF', 'aa:bb:cc:dd:ee:ff'],
    ['00-11-22-33-44-55', '00:11:22:33:44:55'],
    ['Tablet.LAN.', 'tablet.lan'],
    ['küche', 'xn--kche-0ra'],
    [':wlan0', ':wlan0'],
  ];
  for (const [sent, stored] of pairs) {
    test(`${sent} is stored once as ${stored}, and GET and DELETE accept both forms`, async () => {
      const made = await post({ client: sent });
      assert.equal(at(first(made), 'client'), stored, shown(made));
      for (const text of [sent, stored]) {
        const hint = { argument: text, enabled: true, sql_msg: sqlMessage };
        assertError(await post({ client: text }), { status: 400, key: 'database_error', hint });
        assert.equal(at(first(await client.send('GET', pathOf(text))), 'client'), stored);
        assert.equal(at(first(await client.send('PUT', pathOf(text), { body: {} })), 'client'), stored);
      }
      assert.equal((await client.send('DELETE', pathOf(sent))).status, 204);
      assertError(await client.send('GET', pathOf(stored)), { status: 404 });
    });
  }

  const invalid = [
    '192.0.2.256',
    '192.0.2.0/33',
    '2001:db8::/129',
    'fe80::1%eth0',
    '10.1',
    'a/b',
    ':a/b',
    'a..b',
    '::1::',
  ];
  for (const text of invalid) {
    test(`${text} is refused with 400 by POST and PUT, and the hint lists the accepted forms`, async () => {
      const wanted = { status: 400, key: 'bad_request', message: 'Invalid client', hint: /MAC address/ };
      assertError(await post({ client: ['192.0.2.200', text] }), wanted);
      assertError(await client.send('PUT', pathOf(text), { body: {} }), wanted);
      assertError(await client.send('GET', pathOf('192.0.2.200')), { status: 404 });
      assertError(await client.send('GET', pathOf(text)), { status: 404 });
    });
  }

  test('with blanks is refused with the error for blanks', async () => {
    const message = 'Spaces, newlines and tabs are not allowed in domains and URLs';
    for (const text of ['a b', '192.0.2.1\n', '\taa:bb:cc:dd:ee:ff'])
      assertError(await post({ client: text }), { status: 400, key: 'bad_request', message, hint: text });
  });

  test('with more than 255 characters is refused for its length', async () => {
    assertError(await post({ client: 'c'.repeat(255) }), { status: 400, message: 'Invalid client' });
    const longer = await post({ client: 'c'.repeat(256) });
    assertError(longer, { status: 400, message: 'Invalid field in request body data', hint: /client/ });
  });

  for (const body of [{}, { client: '' }, { client: [] }, { client: 5 }, { client: [5] }]) {
    test(`missing or unusable in ${JSON.stringify(body)} is refused with 400`, async () => {
      const message = 'No "client" string in body data';
      assertError(await post(body), { status: 400, key: 'bad_request', message });
    });
  }
});

describe('writing clients', () => {
  test('POST of several gets 201 with every client created when at least one was created', async () => {
    await post({ client: 'dup' });
    const reply = await post({ client: ['one', 'DUP', 'two', 'One.'], comment: 'all' });
    assert.equal(reply.status, 201, shown(reply));
    const made = listAt(reply.body, 'clients').map((one) => at(one, 'client'));
    assert.deepEqual(made, ['one', 'two']);
    const errors = ['dup', 'one'].map((item) => ({ item, error: sqlMessage }));
    assert.deepEqual(at(reply.body, 'processed'), { success: [{ item: 'one' }, { item: 'two' }], errors });
  });

  test('PUT creates or replaces: fields left out get their defaults, groups and id stay', async () => {
    const group = await groupId('put');
    const path = pathOf('put.lan');
    const made = await client.send('PUT', path, { body: { comment: 'c', groups: [group] } });
    assert.equal(made.status, 200, shown(made));
    const now = first(await client.send('PUT', path, { body: {} }));
    const fields = ['comment', 'groups', 'id'].map((field) => at(now, field));
    assert.deepEqual(fields, [null, [group], at(first(made), 'id')]);
  });

  test('PATCH accepts a merge patch and a list of operations', async () => {
    const group = await groupId('patch');
    await post({ client: 'patch.lan', comment: 'old' });
    const path = pathOf('patch.lan');
    const merged = await client.send('PATCH', path, { body: { comment: null, name: 'x', client: 'y' } });
    assert.deepEqual([at(first(merged), 'client'), at(first(merged), 'comment')], ['patch.lan', null]);
    assert.deepEqual(listAt(merged.body, 'ignored'), ['name', 'client']);
    const body = [{ op: 'add', path: '/groups/-', value: group }];
    assert.deepEqual(at(first(await client.send('PATCH', path, { body })), 'groups'), [0, group]);
    for (const wrong of [{ comment: 5 }, { groups: [4_711] }, [{ op: 'remove', path: '/absent' }]])
      assertError(await client.send('PATCH', path, { body: wrong }), { status: 400, key: 'bad_request' });
    assertError(await client.send('PATCH', pathOf('absent'), { body: {} }), { status: 404 });
  });

  test('groups are set by id with an expiry; an unknown one gets 400; a deleted one is removed', async () => {
    const id = await groupId('g1');
    const made = first(
      await post({ client: 'grouped', groups: [id], group_expiry: { [id]: 4_000_000_000 } }),
    );
    assert.deepEqual([at(made, 'groups'), at(made, 'group_expiry')], [[id], { [id]: 4_000_000_000 }]);
    assertError(await post({ client: 'unknown', groups: [4_711] }), { status: 400, hint: /4711/ });
    assertError(await post({ client: 'unknown', group_expiry: { [id]: 5 } }), { status: 400 });
    assertError(await client.send('GET', pathOf('unknown')), { status: 404 });
    const stranger = { body: { group_expiry: { 0: 4_000_000_000 } } };
    assertError(await client.send('PATCH', pathOf('grouped'), stranger), { status: 400, hint: /0/ });
    assert.equal((await client.send('DELETE', '/api/groups/g1')).status, 204);
    const left = first(await client.send('GET', pathOf('grouped')));
    assert.deepEqual([at(left, 'groups'), at(left, 'group_expiry')], [[], {}]);
  });
});

describe('deleting clients, conditional requests, undo:', () => {
  test('DELETE gets 204, then 404; :batchDelete gets 204 when at least one was deleted', async () => {
    await post({ client: ['gone', 'b1', 'b2'] });
    assert.equal((await client.send('DELETE', pathOf('gone'))).status, 204);
    assertError(await client.send('DELETE', pathOf('gone')), { status: 404, key: 'not_found' });
    const batch = (body: unknown) => client.send('POST', '/api/clients:batchDelete', { body });
    assert.equal((await batch([{ item: 'B1.' }, { item: 'absent' }])).status, 204);
    assertError(await batch([{ item: 'b1' }, { item: 'absent' }]), { status: 404 });
    assert.equal((await client.send('GET', pathOf('b2'))).status, 200);
    for (const body of [{}, ['b2'], [{ item: 5 }], [{}]]) assertError(await batch(body), { status: 400 });
  });

  test('PUT, PATCH and DELETE with an old If-Match are refused with 412', async () => {
    const path = pathOf('matched');
    const old = String((await post({ client: 'matched' })).headers['etag']);
    await client.send('PATCH', path, { body: { comment: 'changed' } });
    const tag = String((await client.send('GET', path)).headers['etag']);
    for (const [method, body] of [
      ['PUT', {}],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const)
      assertError(await client.send(method, path, { body, headers: { 'if-match': old } }), { status: 412 });
    assert.equal((await client.send('DELETE', path, { headers: { 'if-match': tag } })).status, 204);
  });

  test('undo restores a client after a change and after a deletion', async () => {
    const undo = async (): Promise<number> => {
      const { body } = await client.send('GET', '/api/revisions?count=1');
      assert.equal(at(body, 'revisions', 0, 'entity'), 'client');
      const version = Number(at(body, 'revisions', 0, 'version'));
      return (await client.send('POST', `/api/revisions/${version}:undo`)).status;
    };
    const made = first(await post({ client: 'undone', comment: 'first' }));
    await client.send('PUT', pathOf('undone'), { body: { comment: 'second', groups: [] } });
    assert.equal(await undo(), 200);
    await client.send('DELETE', pathOf('undone'));
    assert.equal(await undo(), 200);
    const back = first(await client.send('GET', pathOf('undone')));
    const fields = ['id', 'comment', 'groups'];
    assert.deepEqual(
      fields.map((field) => at(back, field)),
      fields.map((field) => at(made, field)),
    );
  });
});

describe('GET /api/clients/_suggestions', () => {
  const path = '/api/clients/_suggestions';
  test('is empty while DNS is off', async () => {
    const { status, body } = await client.send('GET', `${path}?count=7&ipv4_only=true`);
    assert.deepEqual([status, at(body, 'clients')], [200, []]);
  });

  test('with a count above the limit gets 200', async () => {
    assert.equal((await client.send('GET', `${path}?count=2001`)).status, 200);
  });

  for (const query of ['count=-1', 'count=some', 'ipv4_only=perhaps'])
    test(`with ${query} is refused with 400`, async () => {
      const hint = new RegExp(`^${query.split('=', 1)[0] ?? ''}`, 'u');
      assertError(await client.send('GET', `${path}?${query}`), { status: 400, hint });
    });

  test('is read-only: other methods are refused', async () => {
    const { status, headers } = await client.send('PUT', path, { body: {} });
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD, OPTIONS']);
  });
});

test('POST of client 10,001 is refused', async () => {
  const there = listAt((await client.send('GET', '/api/clients')).body, 'clients').length;
  const all = Array.from({ length: 10_000 - there }, (_, index) => `10.${index >> 8}.${index & 255}.1`);
  for (let start = 0; start < all.length; start += 1_000)
    assert.equal((await post({ client: all.slice(start, start + 1_000) })).status, 201);
  assertError(await post({ client: 'over' }), { status: 400, message: 'The collection is full' });
  assertError(await client.send('PUT', pathOf('over'), { body: {} }), { status: 400, hint: /10000/ });
});
