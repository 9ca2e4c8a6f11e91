// Domains from outside: the four lists, their fields, one and many at once, IDN in both forms, groups by id
// and their deletion, expiry, moves between lists, patches, batches and conditional requests.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { assertError, at, describe as shown, listAt, type Reply } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { quick } from './support/session.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const client = openClient(service);
const exact = '/api/domains/deny/exact';
const post = (body: unknown, path = exact) => client.send('POST', path, { body });
const domainsAt = async (path: string): Promise<unknown[]> =>
  listAt((await client.send('GET', path)).body, 'domains').map((one) => at(one, 'domain'));
const first = ({ body }: Reply): unknown => at(body, 'domains', 0);
const sqlMessage = 'UNIQUE constraint failed: domainlist.domain, domainlist.type';

describe('/api/domains', () => {
  test('POST of a long expression has no Location that HTTP clients would refuse', async () => {
    const domain = `${'ä'.repeat(1_000)}$`;
    const reply = await post({ domain }, '/api/domains/deny/regex');
    assert.equal(reply.status, 201, shown(reply));
    assert.equal(reply.headers['location'], '/api/domains/deny/regex/' + encodeURIComponent(domain));
    const longer = await post({ domain: `[${'ä'.repeat(2_000)}]$` }, '/api/domains/deny/regex');
    assert.deepEqual([longer.status, longer.headers['location']], [201, undefined]);
  });

  test('POST gets 201 with Location and the entry, which has all fields and no others', async () => {
    const reply = await post({ domain: 'ads.example' });
    assert.equal(reply.status, 201, shown(reply));
    assert.equal(reply.headers['location'], '/api/domains/deny/exact/ads.example');
    const { id, date_added: added, date_modified: modified, ...rest } = Object(first(reply));
    assert.deepEqual(rest, {
      domain: 'ads.example',
      unicode: 'ads.example',
      type: 'deny',
      kind: 'exact',
      comment: null,
      groups: [0],
      enabled: true,
      expires_at: null,
      group_expiry: {},
    });
    assert.ok([id, added, modified].every((value) => Number.isInteger(value)));
    assert.deepEqual(at(reply.body, 'processed'), { success: [{ item: 'ads.example' }], errors: [] });
  });

  test('the same text may be in all four lists, and each list shows its own entry', async () => {
    for (const list of ['allow/exact', 'deny/exact', 'allow/regex', 'deny/regex']) {
      assert.equal((await post({ domain: 'four.example' }, `/api/domains/${list}`)).status, 201, list);
      assert.ok((await domainsAt(`/api/domains/${list}`)).includes('four.example'));
    }
    const counts = ['', '/allow', '/deny', '/exact', '/regex'].map(async (path) => {
      const found = await domainsAt(`/api/domains${path}`);
      return found.filter((domain) => domain === 'four.example').length;
    });
    assert.deepEqual(await Promise.all(counts), [4, 2, 2, 2, 2]);
  });

  for (const path of ['/api/domains/maybe', '/api/domains/deny/fuzzy', '/api/domains/exact/deny'])
    test(`GET ${path} gets 404, because it names no list and no entry`, async () => {
      assertError(await client.send('GET', path), { status: 404, key: 'not_found' });
    });

  test('GET of an absent entry gets 404', async () => {
    assertError(await client.send('GET', `${exact}/absent.example`), { status: 404, key: 'not_found' });
  });
});

describe('POST /api/domains', () => {
  const unusable: readonly unknown[] = [{}, { domain: '' }, { domain: [] }, { domain: 5 }, { domain: [5] }];
  for (const body of unusable) {
    test(`with ${JSON.stringify(body)} is refused with "No "domain" string in body data"`, async () => {
      const wanted = { status: 400, key: 'bad_request', message: 'No "domain" string in body data' };
      assertError(await post(body), wanted);
    });
  }

  test('of one duplicate is refused with hint {argument, enabled, sql_msg} and `processed`', async () => {
    await post({ domain: 'dup.example' });
    const reply = await post({ domain: 'DUP.example.', enabled: false });
    assertError(reply, {
      status: 400,
      key: 'database_error',
      message: 'Could not add to gravity database',
      hint: { argument: 'DUP.example.', enabled: false, sql_msg: sqlMessage },
    });
    const errors = [{ item: 'dup.example', error: sqlMessage }];
    assert.deepEqual(at(reply.body, 'processed'), { success: [], errors });
  });

  test('of several gets 201 when at least one was created; an invalid one refuses all', async () => {
    const reply = await post({ domain: ['new.example', 'dup.example', 'newer.example'], comment: 'both' });
    assert.equal(reply.status, 201);
    const made = listAt(reply.body, 'domains').map((one) => at(one, 'domain'));
    assert.deepEqual(made, ['new.example', 'newer.example']);
    assert.deepEqual(at(reply.body, 'processed', 'errors', 0, 'item'), 'dup.example');
    const refused = await post({ domain: ['fine.example', 'not a domain'] });
    assertError(refused, { status: 400, key: 'bad_request' });
    assertError(await client.send('GET', `${exact}/fine.example`), { status: 404 });
  });

  const invalid = [
    'a..b',
    '.',
    'a.-example',
    'a.example-',
    `${'l'.repeat(64)}.example`,
    'a/b',
    'http://a.example',
    'a:53',
    'a.*.example',
    '||a.example^$third-party',
    `${'a.'.repeat(127)}example`,
  ];
  for (const domain of invalid) {
    test(`of ${domain.slice(0, 30)}, which is not a valid domain, is refused with 400`, async () => {
      assertError(await post({ domain }), { status: 400, key: 'bad_request', message: 'Invalid domain' });
    });
  }

  const refusals: readonly (readonly [domain: string, message: string, hint: string])[] = [
    [
      'http://ads.example/x',
      'Invalid domain',
      'http://ads.example/x: this is the address of a page and DNS sees names only; write ads.example',
    ],
    [
      '0.0.0.0 a.example',
      'Spaces, newlines and tabs are not allowed in domains and URLs',
      '0.0.0.0 a.example',
    ],
    ['a.\u{fffd}', 'Invalid request: Invalid domain name', 'a.\u{fffd}: cannot be written as a DNS name'],
    [
      '@@||a.example^',
      'Invalid domain',
      '@@||a.example^: @@ allows; add it to the type allow, or write it without @@',
    ],
    ['a.example;reply=X', 'Invalid domain', 'Unknown reply type "X", at character 11 of a.example;reply=X'],
  ];
  for (const [domain, message, hint] of refusals) {
    test(`of ${domain} gets 400 with a hint that says what is wrong`, async () => {
      assertError(await post({ domain }), { status: 400, key: 'bad_request', message, hint });
    });
  }

  const rules: readonly (readonly [sent: string, stored: string, unicode: string])[] = [
    ['*.ADS.example.', '*.ads.example', '*.ads.example'],
    ['||wide.example^', '*.wide.example', '*.wide.example'],
    ['|narrow.example^', 'narrow.example', 'narrow.example'],
    ['||first.example^$important', '*.first.example;important', '*.first.example;important'],
    [
      '*.bücher.example;reply=NXDOMAIN',
      '*.xn--bcher-kva.example;reply=NXDOMAIN',
      '*.bücher.example;reply=NXDOMAIN',
    ],
  ];
  for (const [sent, stored, unicode] of rules) {
    test(`of ${sent} stores ${stored}, and GET accepts both forms`, async () => {
      const made = await post({ domain: sent });
      assert.equal(made.status, 201, shown(made));
      assert.deepEqual([at(first(made), 'domain'), at(first(made), 'unicode')], [stored, unicode]);
      assert.equal((await client.send('GET', String(made.headers['location']))).status, 200);
      assert.equal((await client.send('GET', `${exact}/${encodeURIComponent(sent)}`)).status, 200);
      assertError(await post({ domain: sent }), { status: 400, key: 'database_error' });
    });
  }

  const limits = [
    `${'l'.repeat(63)}.example`,
    'single',
    '_dmarc.example',
    '10.1',
    '1.2.3.4',
    '-a.example',
    'a-.example',
    `${'a.'.repeat(126)}a`,
  ];
  for (const domain of limits) {
    test(`of ${domain.slice(0, 30)} stores it unchanged`, async () => {
      const reply = await post({ domain });
      assert.equal(at(first(reply), 'domain'), domain, shown(reply));
    });
  }
});

describe('an internationalized name', () => {
  const pairs: readonly (readonly [sent: string, ascii: string, unicode: string])[] = [
    ['bücher.example', 'xn--bcher-kva.example', 'bücher.example'],
    ['BÜCHER.DE', 'xn--bcher-kva.de', 'bücher.de'],
    ['xn--fiqs8s.example', 'xn--fiqs8s.example', '中国.example'],
    ['straße.example', 'xn--strae-oqa.example', 'straße.example'],
    ['Plain.EXAMPLE.', 'plain.example', 'plain.example'],
  ];
  for (const [sent, ascii, unicode] of pairs) {
    test(`${sent} is stored as ${ascii} and shown as ${unicode}, and GET accepts both forms`, async () => {
      const reply = await post({ domain: sent });
      assert.equal(reply.status, 201, shown(reply));
      assert.deepEqual([at(first(reply), 'domain'), at(first(reply), 'unicode')], [ascii, unicode]);
      for (const text of [sent, ascii, unicode]) {
        const found = await client.send('GET', `${exact}/${encodeURIComponent(text)}`);
        assert.equal(at(first(found), 'domain'), ascii, `${text}: ${shown(found)}`);
      }
      assert.equal((await client.send('DELETE', `${exact}/${encodeURIComponent(unicode)}`)).status, 204);
    });
  }
});

describe('PUT /api/domains', () => {
  test('creates or replaces: fields left out get their defaults, groups stay', async () => {
    const group = Number(at((await createGroup('put')).body, 'groups', 0, 'id'));
    const path = `${exact}/put.example`;
    const made = await client.send('PUT', path, { body: { comment: 'c', enabled: false, groups: [group] } });
    assert.equal(made.status, 200, shown(made));
    const replaced = await client.send('PUT', path, { body: {} });
    const now = first(replaced);
    assert.deepEqual([at(now, 'comment'), at(now, 'enabled'), at(now, 'groups')], [null, true, [group]]);
    assert.equal(at(now, 'id'), at(first(made), 'id'));
  });

  for (const body of [{ type: 'deny' }, { kind: 'exact' }])
    test(`with ${JSON.stringify(body)}, only half of the old list, is refused with 400`, async () => {
      await post({ domain: 'half.example' });
      const reply = await client.send('PUT', '/api/domains/allow/exact/half.example', { body });
      assertError(reply, {
        status: 400,
        key: 'bad_request',
        message: 'Specify both "type" and "kind" in body data, or neither',
      });
      assert.equal(at(reply.body, 'processed', 'errors', 0, 'item'), 'half.example');
    });

  test('replies with the Location of the item in every collection', async () => {
    for (const path of [
      'domains/deny/exact/put.example',
      'groups/put',
      'clients/192.0.2.99',
      'lists/https%3A%2F%2Flists.invalid%2Fput.txt?type=block',
    ])
      assert.equal(
        (await client.send('PUT', `/api/${path}`, { body: {} })).headers['location'],
        `/api/${path}`,
      );
  });

  test('with the old `type` and `kind` in the body moves the entry, which keeps its id', async () => {
    const made = await post({ domain: 'move.example' });
    const body = { type: 'deny', kind: 'exact', comment: 'moved' };
    const moved = await client.send('PUT', '/api/domains/allow/exact/move.example', { body });
    assert.equal(moved.status, 200, shown(moved));
    assert.deepEqual([at(first(moved), 'type'), at(first(moved), 'id')], ['allow', at(first(made), 'id')]);
    assertError(await client.send('GET', `${exact}/move.example`), { status: 404 });
  });

  test('that moves an entry onto an existing one gets the duplicate error', async () => {
    await post({ domain: 'both.example' });
    await post({ domain: 'both.example' }, '/api/domains/allow/exact');
    const body = { type: 'deny', kind: 'exact' };
    const reply = await client.send('PUT', '/api/domains/allow/exact/both.example', { body });
    assertError(reply, { status: 400, key: 'database_error' });
    assert.ok((await domainsAt(exact)).includes('both.example'));
  });
});

describe('groups of a domain', () => {
  test('are set by id; [] means none; an unknown group gets 400 and creates nothing', async () => {
    const id = Number(at((await createGroup('g1')).body, 'groups', 0, 'id'));
    const two = await post({ domain: 'two.example', groups: [id, 0, id] });
    assert.deepEqual(at(first(two), 'groups'), [0, id]);
    const none = await post({ domain: 'none.example', groups: [] });
    assert.deepEqual(at(first(none), 'groups'), []);
    const unknown = await post({ domain: 'unknown.example', groups: [0, 4_711] });
    assertError(unknown, { status: 400, key: 'bad_request', hint: /4711/ });
    assertError(await client.send('GET', `${exact}/unknown.example`), { status: 404 });
    const patched = await client.send('PATCH', `${exact}/two.example`, { body: { groups: [4_711] } });
    assertError(patched, { status: 400 });
  });

  test('lose a group that is deleted, and its id is never used again', async () => {
    const id = Number(at((await createGroup('g2')).body, 'groups', 0, 'id'));
    await post({ domain: 'left.example', groups: [0, id], group_expiry: { [id]: 4_000_000_000 } });
    assert.equal((await client.send('DELETE', '/api/groups/g2')).status, 204);
    const found = first(await client.send('GET', `${exact}/left.example`));
    assert.deepEqual([at(found, 'groups'), at(found, 'group_expiry')], [[0], {}]);
    assert.ok(Number(at((await createGroup('g3')).body, 'groups', 0, 'id')) > id);
  });
});

describe('the expiry of a domain', () => {
  test('is `expires_at`, in Unix seconds or null', async () => {
    const reply = await post({ domain: 'expires.example', expires_at: 4_000_000_000 });
    assert.equal(at(first(reply), 'expires_at'), 4_000_000_000);
    const path = `${exact}/expires.example`;
    const never = await client.send('PATCH', path, {
      body: [{ op: 'replace', path: '/expires_at', value: null }],
    });
    assert.equal(at(first(never), 'expires_at'), null, shown(never));
    for (const wrong of ['tomorrow', -1, 1.5, true, 253_402_300_800, 1e300]) {
      assertError(await post({ domain: 'x.example', expires_at: wrong }), {
        status: 400,
        key: 'bad_request',
      });
    }
  });

  test('in a group is `group_expiry`, which is refused for a group that the domain is not in', async () => {
    const id = Number(at((await createGroup('g4')).body, 'groups', 0, 'id'));
    const body = { domain: 'while.example', groups: [0, id], group_expiry: { [id]: 4_000_000_000 } };
    const reply = await post(body);
    assert.deepEqual(at(first(reply), 'group_expiry'), { [id]: 4_000_000_000 });
    const merged = await client.send('PATCH', `${exact}/while.example`, {
      body: { group_expiry: { 0: 4_100_000_000 } },
    });
    assert.deepEqual(at(first(merged), 'group_expiry'), { 0: 4_100_000_000, [id]: 4_000_000_000 });
    const less = await client.send('PATCH', `${exact}/while.example`, { body: { groups: [0] } });
    assert.deepEqual(at(first(less), 'group_expiry'), { 0: 4_100_000_000 });
    for (const wrong of [{ x: 1 }, { 0: 'soon' }, { 0: 1e300 }, [1]]) {
      assertError(await post({ domain: 'y.example', group_expiry: wrong }), { status: 400 });
    }
    const stranger = { body: { group_expiry: { [id]: 4_000_000_000 } } };
    assertError(await client.send('PATCH', `${exact}/while.example`, stranger), { status: 400 });
  });

  test('in the past lets the domain be added again with new fields', async () => {
    const body = { domain: 'again.example', comment: 'old', expires_at: 1_000_000_000 };
    const ended = first(await post(body));
    const renewed = first(await post({ domain: 'again.example', expires_at: 4_000_000_000 }));
    assert.deepEqual(
      [at(renewed, 'id'), at(renewed, 'comment'), at(renewed, 'expires_at')],
      [at(ended, 'id'), null, 4_000_000_000],
    );
    assertError(await post({ domain: 'again.example' }), { status: 400, key: 'database_error' });
  });
});

describe('PATCH, DELETE and :batchDelete of domains', () => {
  test('a JSON Patch changes items inside arrays and objects (RFC 6902)', async () => {
    const id = Number(at((await createGroup('g5')).body, 'groups', 0, 'id'));
    await post({ domain: 'patch.example' });
    const path = `${exact}/patch.example`;
    const body = [
      { op: 'add', path: '/groups/-', value: id },
      { op: 'add', path: `/group_expiry/${id}`, value: 4_000_000_000 },
      { op: 'test', path: '/groups/0', value: 0 },
      { op: 'remove', path: '/groups/0' },
    ];
    const reply = await client.send('PATCH', path, { body });
    assert.deepEqual(
      [at(first(reply), 'groups'), at(first(reply), 'group_expiry')],
      [[id], { [id]: 4_000_000_000 }],
    );
    const outside = [{ op: 'add', path: '/groups/5', value: 0 }];
    assertError(await client.send('PATCH', path, { body: outside }), { status: 400, key: 'bad_request' });
    assertError(await client.send('PATCH', `${exact}/absent.example`, { body: {} }), { status: 404 });
  });

  test('DELETE gets 204, then 404, and 412 with an old If-Match', async () => {
    const made = await post({ domain: 'gone.example' });
    const path = `${exact}/gone.example`;
    await client.send('PATCH', path, { body: { comment: 'changed' } });
    const headers = { 'if-match': String(made.headers['etag']) };
    assertError(await client.send('DELETE', path, { headers }), { status: 412 });
    const tag = String((await client.send('GET', path)).headers['etag']);
    assert.equal((await client.send('DELETE', path, { headers: { 'if-match': tag } })).status, 204);
    assertError(await client.send('DELETE', path), { status: 404 });
  });

  test(':batchDelete gets 204 when one name exists, 404 when none does, 400 for a bad body', async () => {
    await post({ domain: ['b1.example', 'bü.example'] });
    const item = (text: string) => ({ item: text, type: 'deny', kind: 'exact' });
    const batch = (body: unknown) => client.send('POST', '/api/domains:batchDelete', { body });
    assert.equal((await batch([item('B1.example'), item('bü.example'), item('absent')])).status, 204);
    assertError(await batch([item('b1.example')]), { status: 404 });
    for (const body of [['x'], [{ item: 5 }], [{ item: 'x' }], [{ ...item('x'), type: 'maybe' }]]) {
      assertError(await batch(body), { status: 400, key: 'bad_request' });
    }
  });

  test(':batchDelete accepts type and kind in upper case', async () => {
    await post({ domain: 'capitals.example' });
    const body = [{ item: 'capitals.example', type: 'DENY', kind: 'Exact' }];
    assert.equal((await client.send('POST', '/api/domains:batchDelete', { body })).status, 204);
  });
});

describe('shorter paths below /api/domains', () => {
  test('select entries by their text in the lists that they name', async () => {
    const places = ['allow/exact', 'deny/exact', 'deny/regex'];
    for (const place of places)
      await client.send('POST', `/api/domains/${place}`, { body: { domain: 'short.example' } });
    await post({ domain: 'kürz.example' });
    const table: readonly (readonly [path: string, found: readonly string[]])[] = [
      ['short.example', places],
      ['SHORT.example', ['allow/exact', 'deny/exact']],
      ['allow/short.example', ['allow/exact']],
      ['deny/short.example', ['deny/exact', 'deny/regex']],
      ['exact/short.example', ['allow/exact', 'deny/exact']],
      ['regex/short.example', ['deny/regex']],
      ['deny/k%C3%BCrz.example', ['deny/exact']],
      ['xn--krz-hoa.example', ['deny/exact']],
    ];
    for (const [path, found] of table) {
      const { status, body } = await client.send('GET', `/api/domains/${path}`);
      const shownAt = listAt(body, 'domains').map((one) => [at(one, 'type'), at(one, 'kind')].join('/'));
      assert.deepEqual([status, shownAt], [200, found], path);
    }
  });

  for (const path of ['absent.example', 'allow/absent.example', 'regex/absent.example', 'exact/allow'])
    test(`${path} gets 404 when no entry matches`, async () => {
      assertError(await client.send('GET', `/api/domains/${path}`), { status: 404, key: 'not_found' });
    });

  test('with an unknown list are refused with 400', async () => {
    assertError(await client.send('GET', '/api/domains/maybe/exact'), { status: 400 });
  });
});

describe(':batchDelete with a bad body gets 400', () => {
  const noArray = {
    status: 400,
    key: 'database_error',
    message: 'Could not remove entries from table',
    hint: 'Argument is not an array',
  };
  const table: readonly (readonly [body: unknown, wanted: Parameters<typeof assertError>[1]])[] = [
    [[], { status: 404, key: 'not_found' }],
    [undefined, { status: 400, message: 'No request body data' }],
    [{}, noArray],
    [{ item: 'x' }, noArray],
    ['"x"', noArray],
    [5, noArray],
    ['null', noArray],
  ];
  for (const collection of ['domains', 'groups', 'lists', 'clients'])
    for (const [body, wanted] of table)
      test(`at ${collection}: ${JSON.stringify(body)}`, async () => {
        assertError(await client.send('POST', `/api/${collection}:batchDelete`, { body }), wanted);
      });
});

function createGroup(name: string): Promise<Reply> {
  return client.send('POST', '/api/groups', { body: { name } });
}
