// The statistics, compared with counting all rows one by one: of the last 24 hours and of other ranges, with
// and without filters, and with what each privacy level hides.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { longTermTypeNames, queryReplyNames, queryStatusNames, queryTypeNames, queryTypes } from '#contract';
import { madeAddress } from '#testing/history/generator';
import { blockedOnly, countBy, largest, permittedOnly, type NaiveRow } from '#testing/history/naive-history';
import { startMs } from '#testing/history/store';
import { noHistory } from '#history/thread';
import { dayFromMs, historyScene, hourMs, lists, nowMs, textOf, type Json } from '#testing/api/history-scene';

const scene = historyScene();
function seconds(timeMs: number): string {
  return String(timeMs / 1000);
}
const someTime = { from: seconds(startMs + 2.5 * hourMs), until: seconds(startMs + 31 * hourMs) };
function inSomeTime({ timeMs }: NaiveRow): boolean {
  return timeMs >= startMs + 2.5 * hourMs && timeMs < startMs + 31 * hourMs;
}
function inLastDay({ timeMs }: NaiveRow): boolean {
  return timeMs >= dayFromMs;
}

const scopes: readonly (readonly [string, Record<string, string>, (row: NaiveRow) => boolean])[] = [
  ['the last 24 hours', {}, inLastDay],
  ['a range', someTime, inSomeTime],
  ['a client', { client: madeAddress(1) }, (row) => inLastDay(row) && row.clientIp === madeAddress(1)],
  ['a client by name', { client: 'Tablet*' }, (row) => inLastDay(row) && row.clientIp === '10.0.0.1'],
  ['a list', { ...someTime, list: '2' }, (row) => inSomeTime(row) && row.listId === 2],
  [
    'a list and a client',
    { list: '2', client: '10.*' },
    (row) => inLastDay(row) && row.listId === 2 && row.clientIp.startsWith('10.'),
  ],
  ['a client without queries', { client: '192.0.2.99' }, () => false],
  ['a group', { group: 'tablets' }, (row) => inLastDay(row) && /^10\.0\.0\.[12]$/u.test(row.clientIp)],
  [
    'a group by id, and a list',
    { ...someTime, group: '2', list: '3' },
    (row) => inSomeTime(row) && row.listId === 3 && /^10\.0\.0\.[456]$/u.test(row.clientIp),
  ],
  ['a group by hardware', { group: 'hardware' }, (row) => inLastDay(row) && row.clientIp === '10.0.0.7'],
  ['the default group', { group: '0' }, (row) => inLastDay(row) && !/^10\.0\.0\.[127]$/u.test(row.clientIp)],
  ['a group whose client sent no query', { group: 'silent' }, () => false],
];

const typeNumbers = new Map<string, number>(Object.entries(queryTypes));
function typeOf({ type }: NaiveRow): string {
  return [...typeNumbers].find(([, number]) => number === type)?.[0] ?? 'OTHER';
}
function filled(names: readonly string[], counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, counts.get(name) ?? 0]));
}
function withStatus(rows: readonly NaiveRow[], ...statuses: readonly string[]): number {
  return rows.filter(({ status }) => statuses.includes(queryStatusNames[status] ?? '')).length;
}
function countsOf(list: Json | undefined): number[] {
  return Object.values(list ?? {}).map((entry) => Number(entry['count']));
}

for (const [title, query, fits] of scopes)
  describe(`statistics of ${title}`, () => {
    const rowsOf = (): NaiveRow[] => scene.rows.filter(fits);

    test('the summary counts all queries', async () => {
      const rows = rowsOf();
      const blocked = blockedOnly(rows).length;
      const { queries, clients, gravity, truncated } = await scene.ask('getSummary', query);
      assert.deepEqual(queries, {
        total: rows.length,
        blocked,
        percent_blocked: rows.length === 0 ? 0 : (blocked * 100) / rows.length,
        unique_domains: countBy(rows, ({ domain }) => domain).size,
        forwarded: withStatus(rows, 'FORWARDED', 'RETRIED', 'RETRIED_DNSSEC'),
        cached: withStatus(rows, 'CACHE', 'CACHE_STALE'),
        frequency: queries?.['frequency'],
        types: filled(queryTypeNames, countBy(rows, typeOf)),
        status: filled(
          queryStatusNames,
          countBy(rows, ({ status }) => queryStatusNames[status] ?? ''),
        ),
        replies: filled(
          queryReplyNames,
          countBy(rows, ({ reply }) => queryReplyNames[reply] ?? ''),
        ),
      });
      assert.deepEqual(clients, {
        active: countBy(rows, ({ clientIp }) => clientIp).size,
        total: countBy(scene.rows, ({ clientIp }) => clientIp).size,
      });
      assert.deepEqual(gravity, { domains_being_blocked: 1234, last_update: 1794700000 });
      assert.equal(truncated, false);
    });

    test('the types count all queries', async () => {
      const { types } = await scene.ask('getQueryTypes', query);
      assert.deepEqual(types, filled(queryTypeNames, countBy(rowsOf(), typeOf)));
    });

    test('the upstreams have counts and mean times', async () => {
      const rows = rowsOf();
      const reply = await scene.ask('getUpstreams', query);
      const upstreams = Object.values(reply['upstreams'] ?? {});
      const [blocklist, cache, ...others] = upstreams;
      assert.deepEqual(
        [blocklist?.['ip'], blocklist?.['port'], blocklist?.['count']],
        ['blocklist', -1, blockedOnly(rows).length],
      );
      assert.deepEqual(
        [cache?.['ip'], cache?.['count']],
        ['cache', withStatus(rows, 'CACHE', 'CACHE_STALE')],
      );
      const asked = rows.filter(({ upstream }) => upstream !== '');
      const counts = others.map(
        ({ ip, port, count }) => [`${textOf(ip)}#${textOf(port)}`, Number(count)] as const,
      );
      assert.deepEqual(
        new Map(counts),
        countBy(asked, ({ upstream }) => upstream),
      );
      const meanSeconds = asked.reduce((sum, { durationUs }) => sum + durationUs, 0) / asked.length / 1e6;
      const weighted = others.reduce(
        (sum, { count, statistics }) => sum + Number(count) * Number(statistics?.['response']),
        0,
      );
      if (asked.length > 0) assert.ok(Math.abs(weighted / asked.length - meanSeconds) < 1e-9);
      assert.equal(reply['total_queries'], rows.length);
      assert.equal(reply['forwarded_queries'], withStatus(rows, 'FORWARDED'));
    });

    for (const blocked of [false, true])
      test(`the rankings of ${blocked ? 'blocked' : 'permitted'} queries are exact`, async () => {
        const rows = rowsOf();
        const wanted = { ...query, blocked: String(blocked), count: '7' };
        const named = blocked ? blockedOnly(rows) : permittedOnly(rows);
        const byDomain = await scene.ask('getTopDomains', wanted);
        const domains = countBy(named, ({ domain }) => domain);
        assert.deepEqual(countsOf(byDomain['domains']), largest(domains, 7));
        for (const { domain, count } of Object.values(byDomain['domains'] ?? {}))
          assert.equal(domains.get(textOf(domain)), count);
        const byClient = await scene.ask('getTopClients', wanted);
        const clients = countBy(blocked ? named : rows, ({ clientIp }) => clientIp);
        assert.deepEqual(countsOf(byClient['clients']), largest(clients, 7));
        for (const { ip, name, count } of Object.values(byClient['clients'] ?? {})) {
          assert.equal(clients.get(textOf(ip)), count);
          assert.equal(name, textOf(ip) === '10.0.0.1' ? 'tablet.lan' : textOf(name));
        }
        for (const reply of [byDomain, byClient]) {
          assert.equal(reply['total_queries'], rows.length);
          assert.equal(reply['blocked_queries'], blockedOnly(rows).length);
        }
      });

    test('the lists have their hits and matches', async () => {
      const rows = rowsOf().filter(({ listId }) => listId > 0);
      const reply = await scene.ask('getListStatistics', query);
      const shown = Object.values(reply['lists'] ?? {});
      const used = shown.filter(({ hits }) => Number(hits) > 0);
      assert.deepEqual(
        new Map(used.map(({ id, hits }) => [textOf(id), Number(hits)])),
        countBy(rows, ({ listId }) => listId),
      );
      const first = shown.find(({ id }) => Number(id) === 1) ?? {};
      assert.deepEqual([first['matches'], first['only'], first['overridden']], [9, 5, 2]);
      for (const { id, hits, blocked, address } of used) {
        assert.equal(blocked, hits);
        assert.equal(address, Number(id) === 1 ? lists[0].address : null);
      }
      assert.deepEqual(
        shown.find(({ id }) => Number(id) === 77),
        {
          id: 77,
          address: lists[1].address,
          type: 'allow',
          hits: 0,
          blocked: 0,
          matches: null,
          only: null,
          overridden: null,
          overlaps: [],
        },
      );
    });
  });

describe('long-term statistics', () => {
  const rowsOf = (): NaiveRow[] => scene.rows.filter(inSomeTime);

  test('the summary, types and upstreams count the queries of the range', async () => {
    const rows = rowsOf();
    const blocked = blockedOnly(rows).length;
    assert.deepEqual(await scene.ask('getLongTermSummary', someTime), {
      sum_queries: rows.length,
      sum_blocked: blocked,
      percent_blocked: (blocked * 100) / rows.length,
      total_clients: countBy(rows, ({ clientIp }) => clientIp).size,
      truncated: false,
    });
    const { types } = await scene.ask('getLongTermQueryTypes', someTime);
    assert.deepEqual(types, filled(longTermTypeNames, countBy(rows, typeOf)));
    const reply = await scene.ask('getLongTermUpstreams', someTime);
    const [cache, blocklist] = Object.values(reply['upstreams'] ?? {}).slice(-2);
    assert.deepEqual(
      [cache?.['ip'], blocklist?.['ip'], blocklist?.['count']],
      ['cache', 'blocklist', blocked],
    );
  });

  test('the rankings have the largest counts of the range', async () => {
    const byDomain = await scene.ask('getLongTermTopDomains', { ...someTime, blocked: 'true' });
    const domains = countBy(blockedOnly(rowsOf()), ({ domain }) => domain);
    assert.deepEqual(countsOf(byDomain['domains']), largest(domains, 10));
    const byClient = await scene.ask('getLongTermTopClients', { ...someTime, blocked: 'True', count: '3' });
    const clients = countBy(blockedOnly(rowsOf()), ({ clientIp }) => clientIp);
    assert.deepEqual(countsOf(byClient['clients']), largest(clients, 3));
  });

  for (const name of ['getLongTermSummary', 'getLongTermTopClients', 'getLongTermHistory'] as const)
    for (const query of [{}, { from: '1' }, { until: '2' }])
      test(`${name} with ${JSON.stringify(query)} is refused`, async () => {
        const { message } = await scene.refused(name, query);
        assert.equal(message, 'You need to specify both "from" and "until" in the request.');
      });
});

test('the frequency is the average of the last 30 seconds', async () => {
  const lately = scene.rows.filter(({ timeMs }) => timeMs >= nowMs - 30_000).length;
  const { queries } = await scene.ask('getSummary');
  assert.equal(queries?.['frequency'], lately / 30);
});

describe('the names that were blocked last', () => {
  for (const [what, query, fits] of scopes)
    test(`for ${what}`, async () => {
      const expected = blockedOnly(scene.rows.filter(fits)).toReversed();
      const names = (count: number): string[] => expected.slice(0, count).map(({ domain }) => domain);
      const newest = { blocked: names(1), truncated: false };
      assert.deepEqual(await scene.ask('getRecentBlocked', query), newest);
      const many = await scene.ask('getRecentBlocked', { ...query, count: '25' });
      assert.deepEqual(many, { blocked: names(25), truncated: false });
    });
});

test('privacy levels hide domains and clients', async (context) => {
  context.after(() => (scene.privacyLevel = 0));
  const concealed = { total_queries: -1, blocked_queries: -1, truncated: false };
  scene.privacyLevel = 1;
  assert.deepEqual(await scene.ask('getTopDomains'), { domains: [], ...concealed });
  assert.deepEqual(await scene.ask('getRecentBlocked'), { blocked: [], truncated: false });
  assert.notEqual((await scene.ask('getTopClients'))['total_queries'], -1);
  scene.privacyLevel = 2;
  assert.deepEqual(await scene.ask('getTopClients'), { clients: [], ...concealed });
  assert.deepEqual(await scene.ask('getLongTermTopClients', someTime), { clients: [], ...concealed });
  const { queries } = await scene.ask('getSummary', { client: madeAddress(1) });
  assert.equal(queries?.['total'], 0, 'a filter does not reveal a hidden client');
  const ofGroup = await scene.ask('getSummary', { group: 'tablets' });
  assert.equal(ofGroup['queries']?.['total'], 0, 'a group does not reveal a hidden client');
});

test('an unknown group is refused', async () => {
  for (const name of [
    'getSummary',
    'getTopClients',
    'getRecentBlocked',
    'getHistory',
    'getClientHistory',
    'getListStatistics',
  ] as const)
    assert.deepEqual(await scene.refused(name, { group: 'strangers' }), {
      message: 'Unknown group',
      hint: 'There is no group "strangers"; GET /api/groups lists all.',
    });
});

test('the statistics of a group with too many clients are truncated', async (context) => {
  context.after(() => (scene.reader = undefined));
  const reader = scene.inPlace;
  scene.reader = {
    query: (name, question, options) =>
      reader.query(name, name === 'clients' ? { ...question, most: 3 } : question, options),
  };
  const { truncated } = await scene.ask('getSummary', { group: '0' });
  assert.equal(truncated, true);
});

test('without the history thread the reply is a failure', async (context) => {
  context.after(() => (scene.reader = undefined));
  scene.reader = noHistory('It is being started.');
  for (const name of ['getSummary', 'getUpstreams', 'getQueries', 'getHistory', 'flushLogs'] as const)
    assert.deepEqual(await scene.refused(name), {
      message: 'The history is not available',
      hint: 'It is being started.',
    });
});
