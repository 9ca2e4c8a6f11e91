// Groups from outside: their fields, one and many at once, duplicates, replacing and renaming, both kinds of
// patches, deletion of one and in a batch, and conditional requests.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at, describe as shown, listAt } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { quick } from './support/session.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const client = openClient(service);
const post = (body: unknown) => client.send('POST', '/api/groups', { body });
const put = (name: string, body: unknown) => client.send('PUT', `/api/groups/${name}`, { body });
const patch = (name: string, body: unknown) => client.send('PATCH', `/api/groups/${name}`, { body });
const sqlMessage = 'UNIQUE constraint failed: group.name';
const duplicateOf = (argument: string, enabled = true) => ({
  status: 400,
  key: 'database_error',
  message: 'Could not add to gravity database',
  hint: { argument, enabled, sql_msg: sqlMessage },
});

const night = { days: ['mon', 'sun'], from: '21:00', until: '06:30', time_zone: 'Europe/Berlin' };
const wholeWeek = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const windows = (count: number) => Array.from({ length: count }, () => ({ ...night }));
const never = { active: true, next_change: null };

describe('the schedules of a group', () => {
  test('are stored in a canonical form; the reply has the current state and the next change', async () => {
    const open = { days: wholeWeek.toReversed(), from: '00:00:00', until: '24:00', time_zone: 'utc' };
    const made = await post({ name: 's1', schedules: [night, open] });
    assert.equal(made.status, 201, shown(made));
    const [group] = listAt(made.body, 'groups');
    assert.deepEqual(at(group, 'schedules'), [
      night,
      { days: wholeWeek, from: '00:00', until: '24:00', time_zone: 'UTC' },
    ]);
    assert.deepEqual(at(group, 'schedule'), never);
    const { body } = await patch('s1', { schedules: [night] });
    const next = Number(at(body, 'groups', 0, 'schedule', 'next_change'));
    assert.equal(typeof at(body, 'groups', 0, 'schedule', 'active'), 'boolean');
    assert.ok(next > Date.now() / 1000 && next < Date.now() / 1000 + 8 * 86_400, String(next));
    const all = listAt((await client.send('GET', '/api/groups')).body, 'groups');
    assert.deepEqual(
      all.find((one) => at(one, 'name') === 's1'),
      at(body, 'groups', 0),
    );
  });

  test('are kept by a PUT or PATCH without them, and removed by an empty list', async () => {
    const schedules = async () =>
      at((await client.send('GET', '/api/groups/s2')).body, 'groups', 0, 'schedules');
    await put('s2', { schedules: [night] });
    await put('s2', { comment: 'x' });
    await patch('s2', { enabled: false });
    assert.deepEqual(await schedules(), [night]);
    await patch('s2', [{ op: 'replace', path: '/schedules/0/from', value: '22:00' }]);
    assert.deepEqual(await schedules(), [{ ...night, from: '22:00' }]);
    const { body } = await put('s2', { schedules: [] });
    assert.deepEqual([await schedules(), at(body, 'groups', 0, 'schedule')], [[], never]);
    await put('s2', { schedules: [night] });
    await patch('s2', { schedules: null });
    assert.deepEqual(await schedules(), []);
  });

  test('are restored by undo, and have the time zone of the machine by default', async () => {
    await put('s3', { schedules: [night] });
    const { time_zone: zone, ...nameless } = night;
    const replaced = await put('s3', { schedules: [nameless] });
    assert.match(String(at(replaced.body, 'groups', 0, 'schedules', 0, 'time_zone')), /^[A-Z]/, zone);
    const { body } = await client.send('GET', '/api/revisions?count=1');
    const version = String(at(body, 'revisions', 0, 'version'));
    const undone = await client.send('POST', `/api/revisions/${version}:undo`, { body: {} });
    assert.equal(undone.status, 200, shown(undone));
    const { body: now } = await client.send('GET', '/api/groups/s3');
    assert.deepEqual(at(now, 'groups', 0, 'schedules'), [night]);
  });

  const wrong: readonly (readonly [schedules: unknown, hint: RegExp])[] = [
    [
      [night, { ...night, time_zone: 'Mars/Olympus' }],
      /^schedules\[1\]\.time_zone: "Mars\/Olympus" is no time/,
    ],
    [[{ ...night, from: '25:00' }], /^schedules\[0\]\.from: "25:00" is no time; write/],
    [[{ ...night, days: [] }], /^schedules\[0\]\.days is empty/],
    [[{ ...night, days: 'mon' }], /^schedules\[0\]\.days: must be array/],
    ['always', /^schedules: /],
    [windows(21), /^schedules: /],
  ];
  for (const [schedules, hint] of wrong)
    test(`that are invalid are refused with 400 and create nothing: ${String(hint)}`, async () => {
      for (const reply of [await post({ name: 's4', schedules }), await put('s4', { schedules })]) {
        assertError(reply, { status: 400, key: 'bad_request' });
        assert.match(String(at(reply.body, 'error', 'hint')), hint);
      }
      assertError(await client.send('GET', '/api/groups/s4'), { status: 404 });
      assertError(await patch('s1', { schedules }), { status: 400, key: 'bad_request' });
    });

  test('are refused above 20 in one group and 1,000 in total', async () => {
    for (const name of ['s1', 's2', 's3']) await put(name, { schedules: [] });
    const schedules = windows(20);
    const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    assert.equal((await post({ name: names, schedules })).status, 201);
    assert.equal((await put('many-7', { schedules })).status, 200);
    const full = await put('s1', { schedules: [night] });
    assertError(full, { status: 400, key: 'bad_request' });
    assert.match(String(at(full.body, 'error', 'hint')), /may have 1000 windows/);
    await client.send('POST', '/api/groups:batchDelete', { body: names.map((item) => ({ item })) });
    assert.equal((await put('s1', { schedules: [night] })).status, 200);
  });
});

describe('GET /api/groups', () => {
  test('has the default group on a new service, with all fields and no others', async () => {
    const { body } = await client.send('GET', '/api/groups/Default');
    const [group] = listAt(body, 'groups');
    const known = ['comment', 'date_added', 'date_modified', 'enabled', 'id', 'name'];
    const ours = ['privacy', 'schedule', 'schedules'];
    assert.deepEqual(Object.keys(Object(group)).toSorted(), [...known, ...ours]);
    assert.deepEqual([at(group, 'id'), at(group, 'name'), at(group, 'enabled')], [0, 'Default', true]);
    assert.ok(Number.isInteger(at(group, 'date_added')));
  });

  test('has no `processed`', async () => {
    const { body } = await client.send('GET', '/api/groups');
    assert.deepEqual(Object.keys(Object(body)).toSorted(), ['groups', 'took']);
  });

  test('is case-sensitive: a name in another case gets 404', async () => {
    assertError(await client.send('GET', '/api/groups/default'), { status: 404 });
  });
});

describe('POST /api/groups', () => {
  test('of one gets 201 with the group, `processed` and Location', async () => {
    const reply = await post({ name: 'one', comment: 'first', enabled: false });
    assert.equal(reply.status, 201, shown(reply));
    const [group] = listAt(reply.body, 'groups');
    assert.deepEqual(
      [at(group, 'name'), at(group, 'comment'), at(group, 'enabled')],
      ['one', 'first', false],
    );
    assert.deepEqual(at(reply.body, 'processed'), { success: [{ item: 'one' }], errors: [] });
    assert.equal(reply.headers['location'], '/api/groups/one');
  });

  test('creates an enabled group without comment; an empty comment is stored as none', async () => {
    const { body } = await post({ name: 'plain' });
    assert.deepEqual([at(body, 'groups', 0, 'enabled'), at(body, 'groups', 0, 'comment')], [true, null]);
    const { body: empty } = await post({ name: 'empty', comment: '' });
    assert.equal(at(empty, 'groups', 0, 'comment'), null);
  });

  test('of one duplicate is refused with the duplicate error and `processed`', async () => {
    await post({ name: 'dup' });
    const reply = await post({ name: 'dup', enabled: false });
    assertError(reply, duplicateOf('dup', false));
    assert.deepEqual(at(reply.body, 'processed'), {
      success: [],
      errors: [{ item: 'dup', error: sqlMessage }],
    });
    const { body } = await client.send('GET', '/api/groups/dup');
    assert.equal(at(body, 'groups', 0, 'enabled'), true, 'the existing group is unchanged');
  });

  test('of several gets 201 with every group created, and Location of the last', async () => {
    const reply = await post({ name: ['a1', 'dup', 'a2', 'a1'], comment: 'all' });
    assert.equal(reply.status, 201, shown(reply));
    const made = listAt(reply.body, 'groups').map((group) => at(group, 'name'));
    assert.deepEqual([made, reply.headers['location']], [['a1', 'a2'], '/api/groups/a2']);
    const errors = ['dup', 'a1'].map((item) => ({ item, error: sqlMessage }));
    assert.deepEqual(at(reply.body, 'processed'), { success: [{ item: 'a1' }, { item: 'a2' }], errors });
  });

  test('of several that create none gets 400 with the first error', async () => {
    await post({ name: ['n1', 'n2'] });
    const reply = await post({ name: ['n2', 'n1'] });
    assertError(reply, duplicateOf('n2'));
    assert.equal(listAt(reply.body, 'processed', 'errors').length, 2);
  });

  const unusable: readonly unknown[] = [
    {},
    { name: '' },
    { name: [] },
    { name: 5 },
    { name: null },
    { name: [''] },
  ];
  for (const body of unusable) {
    test(`with ${JSON.stringify(body)}, without a usable name, is refused with 400`, async () => {
      const wanted = {
        status: 400,
        key: 'bad_request',
        message: 'No "name" string in body data',
        hint: null,
      };
      assertError(await post(body), wanted);
    });
  }

  test('with a field of the wrong type gets 400, names the field and creates nothing', async () => {
    const reply = await post({ name: 'typed', enabled: 'yes' });
    assertError(reply, { status: 400, key: 'bad_request', hint: /enabled/ });
    assertError(await client.send('GET', '/api/groups/typed'), { status: 404 });
  });
});

describe('PUT /api/groups/{name}', () => {
  test('creates or replaces with 200: fields left out get their defaults, the id stays', async () => {
    const made = await put('p1', { comment: 'c', enabled: false });
    const replaced = await put('p1', {});
    assert.deepEqual([made.status, replaced.status], [200, 200]);
    const [group] = listAt(replaced.body, 'groups');
    assert.deepEqual([at(group, 'comment'), at(group, 'enabled')], [null, true]);
    assert.equal(at(group, 'id'), at(made.body, 'groups', 0, 'id'));
    assert.deepEqual(at(replaced.body, 'processed'), { success: [{ item: 'p1' }], errors: [] });
  });

  test('with the name null does not rename the group, and neither does PATCH', async () => {
    await post({ name: 'unnamed' });
    const noName = [{ op: 'replace', path: '/name', value: null }];
    for (const [method, body] of [
      ['PUT', { name: null }],
      ['PATCH', noName],
    ] as const) {
      const reply = await client.send(method, '/api/groups/unnamed', { body });
      assert.deepEqual([reply.status, at(reply.body, 'groups', 0, 'name')], [200, 'unnamed']);
    }
  });

  test('with another name in the body renames the group', async () => {
    const made = await put('p2', {});
    const renamed = await put('p2', { name: 'p2 new' });
    assert.equal(renamed.status, 200);
    assert.equal(at(renamed.body, 'groups', 0, 'name'), 'p2 new');
    assert.equal(at(renamed.body, 'groups', 0, 'id'), at(made.body, 'groups', 0, 'id'));
    assertError(await client.send('GET', '/api/groups/p2'), { status: 404 });
    assert.equal((await client.send('GET', '/api/groups/p2%20new')).status, 200);
  });

  test('with an existing name gets the duplicate error and changes nothing', async () => {
    await post({ name: ['p3', 'p4'] });
    assertError(await put('p3', { name: 'p4' }), duplicateOf('p4'));
    assert.equal((await client.send('GET', '/api/groups/p3')).status, 200);
  });

  test('renames the default group, which keeps its id', async () => {
    assert.equal((await put('Default', { name: 'Renamed' })).status, 200);
    const { body } = await client.send('GET', '/api/groups/Renamed');
    assert.equal(at(body, 'groups', 0, 'id'), 0);
    assertError(await client.send('DELETE', '/api/groups/Renamed'), { status: 403 });
    assert.equal((await put('Renamed', { name: 'Default' })).status, 200);
  });
});

describe('PATCH /api/groups/{name}', () => {
  const fields = (body: unknown): unknown[] =>
    ['name', 'comment', 'enabled'].map((field) => at(body, 'groups', 0, field));

  const good: readonly (readonly [name: string, patch: unknown, after: readonly unknown[]])[] = [
    ['merge: one field', { enabled: false }, ['m', 'old', false]],
    ['merge: null removes (RFC 7396)', { comment: null }, ['m', null, true]],
    ['merge: nothing', {}, ['m', 'old', true]],
    ['merge: rename', { name: 'm2' }, ['m2', 'old', true]],
    ['patch: replace', [{ op: 'replace', path: '/comment', value: 'new' }], ['m', 'new', true]],
    [
      'patch: add to an existing member replaces it (RFC 6902 4.1)',
      [{ op: 'add', path: '/enabled', value: false }],
      ['m', 'old', false],
    ],
    ['patch: remove', [{ op: 'remove', path: '/comment' }], ['m', null, true]],
    ['patch: copy', [{ op: 'copy', from: '/name', path: '/comment' }], ['m', 'm', true]],
    [
      'patch: move',
      [
        { op: 'move', from: '/comment', path: '/name' },
        { op: 'add', path: '/comment', value: 'x' },
      ],
      ['old', 'x', true],
    ],
    [
      'patch: a test that succeeds',
      [
        { op: 'test', path: '/comment', value: 'old' },
        { op: 'replace', path: '/enabled', value: false },
      ],
      ['m', 'old', false],
    ],
    ['patch: no operations', [], ['m', 'old', true]],
  ];
  for (const [name, body, wanted] of good) {
    test(name, async () => {
      const made = await post({ name: 'm', comment: 'old' });
      const id = at(made.body, 'groups', 0, 'id');
      const reply = await patch('m', body);
      assert.equal(reply.status, 200, shown(reply));
      assert.deepEqual(fields(reply.body), wanted);
      assert.equal(at(reply.body, 'groups', 0, 'id'), id);
      await client.send('DELETE', `/api/groups/${String(wanted[0])}`);
    });
  }

  const bad: readonly (readonly [name: string, patch: unknown])[] = [
    ['merge: wrong type', { enabled: 'no' }],
    ['merge: an empty name', { name: '' }],
    [
      'patch: a test that fails',
      [
        { op: 'test', path: '/comment', value: 'other' },
        { op: 'remove', path: '/comment' },
      ],
    ],
    ['patch: nothing there', [{ op: 'replace', path: '/absent', value: 1 }]],
    ['patch: no slash', [{ op: 'remove', path: 'comment' }]],
    ['patch: no value', [{ op: 'add', path: '/comment' }]],
    ['patch: the whole', [{ op: 'replace', path: '', value: {} }]],
    ['patch: a prototype', [{ op: 'add', path: '/__proto__/enabled', value: false }]],
    [
      'patch: the second operation fails, so the first is not applied',
      [
        { op: 'replace', path: '/comment', value: 'x' },
        { op: 'remove', path: '/absent' },
      ],
    ],
    ['patch: unknown operation', [{ op: 'append', path: '/comment', value: 'x' }]],
    ['neither object nor array', 'text'],
  ];
  for (const [name, body] of bad) {
    test(`is refused with 400 and changes nothing: ${name}`, async () => {
      await post({ name: 'b', comment: 'old' });
      const reply = await client.send('PATCH', '/api/groups/b', { body: JSON.stringify(body) });
      assertError(reply, { status: 400, key: 'bad_request' });
      assert.deepEqual(fields((await client.send('GET', '/api/groups/b')).body), ['b', 'old', true]);
    });
  }

  test('of an absent group gets 404, and with an existing name the duplicate error', async () => {
    assertError(await patch('absent', {}), { status: 404 });
    await post({ name: ['t1', 't2'] });
    assertError(await patch('t1', { name: 't2' }), duplicateOf('t2'));
  });

  test('of read-only fields does not change them', async () => {
    const made = await post({ name: 'fixed' });
    const [group] = listAt(made.body, 'groups');
    const reply = await patch('fixed', { id: 0, date_added: 1 });
    const [later] = listAt((await client.send('GET', '/api/groups/fixed')).body, 'groups');
    assert.equal(at(later, 'id'), at(group, 'id'), shown(reply));
    assert.equal(at(later, 'date_added'), at(group, 'date_added'));
  });
});

describe('DELETE /api/groups/{name}', () => {
  test('gets 204, then 404, and 403 for the default group', async () => {
    await post({ name: 'gone' });
    const first = await client.send('DELETE', '/api/groups/gone');
    assert.deepEqual([first.status, first.text], [204, '']);
    assertError(await client.send('DELETE', '/api/groups/gone'), { status: 404, key: 'not_found' });
    assertError(await client.send('DELETE', '/api/groups/Default'), { status: 403, key: 'forbidden' });
  });

  test('as :batchDelete gets 204 when one was deleted, else 404, and never deletes Default', async () => {
    await post({ name: ['x1', 'x2'] });
    const batch = (...items: readonly string[]) =>
      client.send('POST', '/api/groups:batchDelete', { body: items.map((item) => ({ item })) });
    assert.equal((await batch('x1', 'absent', 'Default')).status, 204);
    assert.equal((await client.send('GET', '/api/groups/x2')).status, 200);
    assertError(await batch('x1', 'absent'), { status: 404 });
    assertError(await batch('Default'), { status: 403 });
    assert.equal((await client.send('GET', '/api/groups/Default')).status, 200);
    for (const body of [{}, ['x2'], [{ item: 5 }], [{}]]) {
      assertError(await client.send('POST', '/api/groups:batchDelete', { body }), { status: 400 });
    }
  });
});

describe('the ETag of a group', () => {
  test('is the same in replies to GET, POST, PUT and PATCH for the same state', async () => {
    const made = await post({ name: 'tagged' });
    const read = await client.send('GET', '/api/groups/tagged');
    assert.match(String(read.headers['etag']), /^"[^"]+"$/);
    assert.equal(made.headers['etag'], read.headers['etag']);
    const changed = await patch('tagged', { enabled: false });
    assert.notEqual(changed.headers['etag'], read.headers['etag']);
    assert.equal(changed.headers['etag'], (await client.send('GET', '/api/groups/tagged')).headers['etag']);
  });

  test('in If-None-Match of GET and HEAD gets 304 until the group changes', async () => {
    const tag = String((await post({ name: 'polled' })).headers['etag']);
    const poll = (method: string) =>
      client.send(method, '/api/groups/polled', { headers: { 'if-none-match': tag } });
    const unchanged = await poll('GET');
    assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers['etag']], [304, '', tag]);
    assert.equal((await poll('HEAD')).status, 304);
    await patch('polled', { comment: 'x' });
    assert.equal((await poll('GET')).status, 200);
  });

  const methods: readonly (readonly [method: string, body: unknown, status: number])[] = [
    ['PUT', { comment: 'x' }, 200],
    ['PATCH', { comment: 'x' }, 200],
    ['DELETE', undefined, 204],
  ];
  for (const [method, body, status] of methods) {
    test(`in If-Match of ${method}: an old one gets 412; the current one, a list and * pass`, async () => {
      const name = `matched-${method}`;
      const path = `/api/groups/${name}`;
      const send = (tag: string) => client.send(method, path, { body, headers: { 'if-match': tag } });
      const tag = String((await post({ name })).headers['etag']);
      await patch(name, { comment: 'changed meanwhile' });
      assertError(await send(tag), { status: 412, key: 'precondition_failed' });
      assertError(await send('"none", W/"weak"'), { status: 412 });
      const now = await client.send('GET', path);
      assert.equal(at(now.body, 'groups', 0, 'comment'), 'changed meanwhile');
      assert.equal((await send(`"none", ${String(now.headers['etag'])}`)).status, status);
      await put(name, {});
      assert.equal((await send('*')).status, status);
    });
  }

  test('as * for an absent group gets 412, so that nothing is created by mistake', async () => {
    const headers = { 'if-match': '*' };
    assertError(await client.send('PUT', '/api/groups/absent', { headers, body: {} }), { status: 412 });
    assertError(await client.send('GET', '/api/groups/absent'), { status: 404 });
  });
});
