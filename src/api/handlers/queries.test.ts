// The query log, compared with filtering all rows one by one: each filter, both ways of paging, orders and
// searches of DataTables, refused parameters, and what each privacy level hides.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queryDnssecNames, queryReplyNames, queryStatusNames, queryTypeNames } from '#contract';
import { madeAddress, madeName } from '#testing/history/generator';
import { blockedOnly, type NaiveRow } from '#testing/history/naive-history';
import { startMs } from '#testing/history/store';
import { presentQuery } from './query-row.ts';
import { historyScene, hourMs, textOf, type Json } from '#testing/api/history-scene';

const scene = historyScene();
function queriesOf(reply: Json): Json[] {
  return Object.values(reply['queries'] ?? {});
}
function idsOf(reply: Json): number[] {
  return queriesOf(reply).map(({ id }) => Number(id));
}
function newest(rows: readonly NaiveRow[]): number[] {
  return rows.toReversed().map(({ id }) => id);
}
function isBlocked(row: NaiveRow): boolean {
  return blockedOnly([row]).length > 0;
}
const noon = startMs + 16 * hourMs;

const filters: readonly (readonly [Record<string, string>, (row: NaiveRow) => boolean])[] = [
  [{}, () => true],
  [{ domain: madeName(3) }, ({ domain }) => domain === madeName(3)],
  [{ domain: 'h1*.example' }, ({ domain }) => /^h1.*\.example$/u.test(domain)],
  [{ domain: encodeURIComponent('*site1*') }, ({ domain }) => domain.includes('site1')],
  [{ client_ip: madeAddress(9) }, ({ clientIp }) => clientIp === madeAddress(9)],
  [{ client_ip: '10.0.0.1*' }, ({ clientIp }) => clientIp.startsWith('10.0.0.1')],
  [{ client_name: 'Tablet.lan' }, ({ clientIp }) => clientIp === '10.0.0.1'],
  [{ client_name: 't*.lan' }, ({ clientIp }) => ['10.0.0.1', '10.0.0.2'].includes(clientIp)],
  [{ upstream: '192.0.2.1#53 (name)' }, ({ upstream }) => upstream === '192.0.2.1#53'],
  [{ upstream: '192.0.2.*' }, ({ upstream }) => upstream.startsWith('192.0.2.')],
  [{ upstream: 'blocklist' }, isBlocked],
  [{ upstream: 'permitted' }, (row) => !isBlocked(row)],
  [{ upstream: 'cache' }, ({ status }) => status === 3 || status === 17],
  [{ type: 'https' }, ({ type }) => type === 65],
  [{ type: 'other' }, () => false],
  [{ type: 'TYPE28' }, ({ type }) => type === 28],
  [{ status: 'gravity' }, ({ status }) => status === 1],
  [{ reply: 'NXDOMAIN' }, ({ reply }) => reply === 2],
  [{ dnssec: 'SECURE' }, ({ dnssec }) => dnssec === 1],
  [{ from: String(noon / 1000) }, ({ timeMs }) => timeMs >= noon],
  [{ until: String(noon / 1000) }, ({ timeMs }) => timeMs < noon],
  [
    { status: 'FORWARDED', type: 'A', domain: '*.example' },
    ({ status, type, domain }) => status === 2 && type === 1 && domain.endsWith('.example'),
  ],
  [{ domain: '', client_ip: '', type: '' }, () => true],
  [{ client: madeAddress(1) }, () => true],
];

describe('filters of the log', () => {
  for (const [query, fits] of filters)
    test(`${JSON.stringify(query)} selects the matching queries`, async () => {
      const expected = newest(scene.rows.filter(fits));
      const reply = await scene.ask('getQueries', query);
      assert.deepEqual(idsOf(reply), expected.slice(0, 100));
      assert.equal(reply['recordsTotal'], scene.rows.length);
      const isCounted = Object.values(query).filter((value) => value !== '').length < 3;
      if (isCounted) assert.equal(reply['recordsFiltered'], expected.length);
      else assert.ok(reply['recordsFiltered'] === null && Boolean(reply['truncated']));
      assert.equal(reply['cursor'], scene.rows.length);
      assert.equal(reply['next'], expected.length > 100 ? expected[99] : null);
    });
});

test('a query has all its fields', async () => {
  const { id = 0, ...row } = scene.rows.findLast(({ listId }) => listId > 0) ?? {};
  assert.ok('domain' in row);
  const reply = await scene.ask('getQueries', { cursor: textOf(id), length: '1' });
  assert.deepEqual(queriesOf(reply), [
    {
      id,
      time: row.timeMs / 1000,
      type: row.type === 1 ? 'A' : queriesOf(reply)[0]?.['type'],
      status: queryStatusNames[row.status],
      dnssec: 'UNKNOWN',
      domain: row.domain,
      upstream: null,
      reply: { type: 'IP', time: row.durationUs / 1e6 },
      client: { ip: row.clientIp, name: queriesOf(reply)[0]?.['client']?.['name'] },
      list_id: -(row.listId + 2),
      ede: { code: -1, text: null },
      cname: null,
    },
  ]);
  assert.equal(reply['cursor'], id);
});

test('rare values of all fields have names', () => {
  const row = {
    id: 1,
    timeMs: 0,
    domain: 'a.example',
    clientIp: '192.0.2.7',
    clientName: 'x',
    upstream: '',
    type: 4711,
    status: 200,
    reply: 99,
    dnssec: 15,
    ruleId: 12,
    listId: 0,
    durationUs: 0,
    rcode: 0,
    ede: 15,
    cname: 'b.example',
  };
  const shown = presentQuery(row, { domains: false, clients: false });
  assert.deepEqual(
    [shown.type, shown.status, shown.reply.type, shown.dnssec, shown.list_id, shown.ede, shown.cname],
    ['TYPE4711', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN', 12, { code: 15, text: 'blocked' }, 'b.example'],
  );
  const hidden = presentQuery(row, { domains: true, clients: true });
  assert.deepEqual(
    [hidden.domain, hidden.cname, hidden.client],
    ['hidden', null, { ip: '0.0.0.0', name: null }],
  );
});

describe('pages', () => {
  test('by cursor return every row once, to the end', async () => {
    const seen: number[] = [];
    const query: Record<string, string> = { upstream: 'blocklist', length: '500' };
    for (let page = 0; page < 100; page++) {
      const reply = await scene.ask('getQueries', query);
      seen.push(...idsOf(reply));
      assert.equal(reply['recordsFiltered'], blockedOnly(scene.rows).length);
      if (reply['next'] === null) break;
      query['after'] = textOf(reply['next']);
    }
    assert.deepEqual(seen, newest(blockedOnly(scene.rows)));
  });

  test('by start and cursor return the same rows as slices', async () => {
    const cursor = '7000';
    const expected = newest(scene.rows.slice(0, 7000));
    for (const start of [0, 100, 5000]) {
      const reply = await scene.ask('getQueries', { cursor, start: String(start), draw: '7' });
      assert.deepEqual(idsOf(reply), expected.slice(start, start + 100));
      assert.deepEqual([reply['draw'], reply['cursor'], reply['recordsFiltered']], [7, 7000, 7000]);
    }
  });

  for (const [length, count] of [
    ['0', 0],
    ['1', 1],
    ['10000', 10_000],
    ['-1', 10_000],
  ] as const)
    test(`with length ${length} have ${count} rows`, async () => {
      assert.equal(queriesOf(await scene.ask('getQueries', { length })).length, count);
    });
});

describe('refused parameters', () => {
  const wrong: readonly (readonly [Record<string, string>, string, string])[] = [
    [{ cursor: 'x' }, 'Requested cursor is invalid', 'x is not a number.'],
    [{ cursor: '-1' }, 'Requested cursor is invalid', '-1 is not a number.'],
    [{ cursor: '12001' }, 'Requested cursor is invalid', '12001 is above the newest id, which is 12000.'],
    [{ type: 'AAAAA' }, 'Requested type is invalid', 'AAAAA'],
    [{ type: 'TYPE65536' }, 'Requested type is invalid', 'TYPE65536'],
    [{ status: 'BLOCKED' }, 'Requested status is invalid', 'BLOCKED'],
    [{ reply: 'NO' }, 'Requested reply is invalid', 'NO'],
    [{ dnssec: '1' }, 'Requested dnssec is invalid', '1'],
  ];
  for (const [query, message, hint] of wrong)
    test(`${JSON.stringify(query)}: ${message}`, async () => {
      assert.deepEqual(await scene.refused('getQueries', query), { message, hint });
    });

  for (const query of [{ length: '10001' }, { start: '10001' }, { start: '-1' }, { from: 'noon' }])
    test(`${JSON.stringify(query)}: Invalid parameter`, async () => {
      assert.equal((await scene.refused('getQueries', query)).message, 'Invalid parameter');
    });
});

describe('DataTables', () => {
  const columns = {
    'columns[0][data]': 'time',
    'columns[3][data]': 'domain',
    'columns[4][data]': 'client.ip',
    'columns[6][data]': 'reply.time',
  };
  const page = 10_000;

  test('orders by a column in both directions', async () => {
    const few = { ...columns, domain: madeName(2), length: '20', start: '5' };
    const rows = scene.rows.filter(({ domain }) => domain === madeName(2));
    const sorted = rows.toSorted((a, b) => b.durationUs - a.durationUs || b.id - a.id);
    const down = await scene.ask('getQueries', { ...few, 'order[0][column]': '6', 'order[0][dir]': 'desc' });
    assert.deepEqual(
      idsOf(down),
      sorted.slice(5, 25).map(({ id }) => id),
    );
    assert.deepEqual([down['recordsFiltered'], down['truncated']], [rows.length, false]);
    const up = await scene.ask('getQueries', { ...few, 'order[0][column]': '0', 'order[0][dir]': 'asc' });
    assert.deepEqual(
      idsOf(up),
      rows.slice(5, 25).map(({ id }) => id),
    );
  });

  test('an order by an unknown column is ignored', async () => {
    for (const name of ['nothing', '__proto__', 'constructor', 'toString']) {
      const wanted = {
        'columns[1][data]': name,
        'order[0][column]': '1',
        'order[0][dir]': 'asc',
        length: '3',
      };
      const reply = await scene.ask('getQueries', wanted);
      assert.deepEqual(idsOf(reply), newest(scene.rows).slice(0, 3), name);
      assert.equal(reply['truncated'], false);
    }
  });

  test('an order of too many rows covers the newest page, and the reply is truncated', async () => {
    const wanted = { ...columns, 'order[0][column]': '0', 'order[0][dir]': 'ascending', length: '1' };
    const reply = await scene.ask('getQueries', wanted);
    assert.deepEqual(idsOf(reply), [scene.rows.length - page + 1]);
    assert.deepEqual([reply['recordsFiltered'], reply['truncated']], [scene.rows.length, true]);
  });

  const searches: readonly (readonly [Record<string, string>, (row: NaiveRow) => boolean])[] = [
    [{ 'columns[3][search][value]': 'SITE1' }, ({ domain }) => domain.includes('site1')],
    [{ 'columns[3][search][value]': 'h2*net' }, ({ domain }) => /h2.*net/u.test(domain)],
    [{ 'columns[4][search][value]': '0.0.2' }, ({ clientIp }) => clientIp.includes('0.0.2')],
    [{ 'columns[4][search][value]': 'vision' }, ({ clientIp }) => clientIp === '10.0.0.2'],
    // By address, by name, or by both.
    [
      { 'columns[4][search][value]': 'b' },
      ({ clientIp }) => clientIp.includes('b') || clientIp === '10.0.0.1',
    ],
    [{ 'columns[4][search][value]': '' }, () => true],
  ];
  for (const [query, fits] of searches)
    test(`the search ${JSON.stringify(query)} selects the matching queries`, async () => {
      const reply = await scene.ask('getQueries', { ...columns, ...query });
      assert.deepEqual(idsOf(reply), newest(scene.rows.filter(fits)).slice(0, 100));
    });

  test('a search and a filter of the same field apply both', async () => {
    const query = { ...columns, domain: '*.example', 'columns[3][search][value]': 'h2', client_ip: '10.*' };
    const reply = await scene.ask('getQueries', { ...query, 'columns[4][search][value]': 'let' });
    const fits = ({ domain, clientIp }: NaiveRow): boolean =>
      /h2.*\.example$/u.test(domain) && clientIp === '10.0.0.1';
    assert.deepEqual(idsOf(reply), newest(scene.rows.filter(fits)).slice(0, 100));
  });

  test('a search in another column is ignored', async () => {
    const reply = await scene.ask('getQueries', { 'columns[3][search][value]': 'nowhere' });
    assert.equal(reply['recordsFiltered'], scene.rows.length);
  });
});

test('suggestions contain domains, clients, upstreams and all names', async () => {
  const { suggestions = {} } = await scene.ask('getQuerySuggestions', { count: '5' });
  assert.equal(Object.keys(suggestions['domain'] ?? {}).length, 10);
  assert.deepEqual(
    suggestions['client_name'],
    ['tablet.lan', 'television.lan'].filter((name) =>
      Object.values(suggestions['client_name'] ?? {})
        .map(String)
        .includes(name),
    ),
  );
  const upstreams = Object.values(suggestions['upstream'] ?? {}).map(String);
  assert.deepEqual([...upstreams.slice(0, 2), upstreams.at(-1)], ['blocklist', 'cache', 'permitted']);
  assert.equal(upstreams.length, 6);
  const { type, status, reply, dnssec } = suggestions;
  assert.deepEqual(
    [type, status, reply, dnssec],
    [[...queryTypeNames], [...queryStatusNames], [...queryReplyNames], [...queryDnssecNames]],
  );
});

test('privacy levels hide domains, clients and the log', async (context) => {
  context.after(() => (scene.privacyLevel = 0));
  scene.privacyLevel = 1;
  const total = scene.rows.length;
  const shown = queriesOf(await scene.ask('getQueries'));
  assert.ok(shown.every(({ domain }) => textOf(domain) === 'hidden'));
  const ofRules = queriesOf(await scene.ask('getQueries', { status: 'DENYLIST' }));
  assert.ok(
    ofRules.length > 0 && ofRules.every(({ list_id }) => list_id === null),
    'the id of a rule would reveal the name',
  );
  assert.equal((await scene.ask('getQueries', { domain: madeName(3) }))['recordsFiltered'], 0);
  assert.equal((await scene.ask('getQueries', { domain: 'hid*' }))['recordsFiltered'], total);
  scene.privacyLevel = 2;
  const [query] = queriesOf(await scene.ask('getQueries'));
  assert.deepEqual(query?.['client'], { ip: '0.0.0.0', name: null });
  assert.equal((await scene.ask('getQueries', { client_ip: madeAddress(1) }))['recordsFiltered'], 0);
  assert.equal((await scene.ask('getQueries', { client_name: 'tablet.lan' }))['recordsFiltered'], 0);
  const { suggestions = {} } = await scene.ask('getQuerySuggestions');
  assert.deepEqual(
    [suggestions['domain'], suggestions['client_ip'], suggestions['client_name']],
    [[], [], []],
  );
  scene.privacyLevel = 3;
  const reply = await scene.ask('getQueries', { draw: '3' });
  assert.deepEqual([reply['queries'], reply['cursor'], reply['draw']], [[], null, 3]);
});
