// All endpoints and commands about past queries agree with each other: one service, a few queries of each
// kind.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { boot, type Service } from './running/boot.ts';
import { sendQuery, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { openEvents, type EventReader } from './running/event-stream.ts';
import { runCommand } from './running/program.ts';
import { at, describe as shown, listAt, type Reply } from './running/reply.ts';
import { until } from './running/waiting.ts';

const denied = 'ads.example';
const localTimes = 3;
const deniedTimes = 2;
const total = localTimes + deniedTimes;
const refusedKey = 'bad_request';

let service: Service;
let port: number;
/** The stream is open before the first query. */
let events: EventReader;

before(async () => {
  // Nothing listens on that port.
  service = await boot({ env: { ...dnsEnvironment(9), SLUICE_DNS_WORKERS: '1' } });
  port = await dnsPort(service);
  await service.call('POST', '/api/domains/deny/exact', { body: { domain: denied } });
  events = await openEvents(service, '?types=queries');
  await events.seen('hello');
  for (let i = 0; i < localTimes; i++) assert.equal(await sendQuery(port, localName), 0);
  for (let i = 0; i < deniedTimes; i++) assert.equal(await sendQuery(port, denied), 0);
});
after(async () => {
  events.close();
  await service.stop();
});

const get = async (path: string): Promise<Reply> => {
  const reply = await service.call('GET', path);
  assert.equal(reply.status, 200, shown(reply));
  return reply;
};

describe('queries', () => {
  test('GET /api/queries has all queries, newest first, in pages', async () => {
    const { body } = await get('/api/queries');
    const names = listAt(body, 'queries').map((query) => at(query, 'domain'));
    assert.deepEqual(names, [denied, denied, localName, localName, localName]);
    assert.deepEqual([at(body, 'recordsTotal'), at(body, 'recordsFiltered')], [total, total]);
    const query = listAt(body, 'queries')[0];
    assert.equal(at(query, 'status'), 'DENYLIST');
    assert.ok(Number(at(query, 'list_id')) > 0, 'the id of the rule that decided');
    assert.equal(at(query, 'client', 'ip'), '127.0.0.1');
    const blocked = await get('/api/queries?upstream=blocklist&length=1&columns%5B3%5D%5Bdata%5D=domain');
    assert.equal(at(blocked.body, 'recordsFiltered'), deniedTimes);
    const next = await get(`/api/queries?upstream=blocklist&after=${String(at(blocked.body, 'next'))}`);
    assert.equal(listAt(next.body, 'queries').length, deniedTimes - 1);
  });

  test('events have the same queries as GET /api/queries', async () => {
    const published = (): unknown[] =>
      events.events().flatMap(({ name, data }) => (name === 'queries' ? listAt(data, 'queries') : []));
    await until('All queries are published', () => (published().length >= total ? true : undefined));
    const fields = (row: unknown): unknown[] =>
      ['time', 'domain', 'type', 'status'].map((field) => at(row, field));
    const { body } = await get('/api/queries');
    assert.deepEqual(published().map(fields), listAt(body, 'queries').map(fields).toReversed());
  });

  test('GET /api/queries with a wrong parameter is refused with 400', async () => {
    for (const [path, message] of [
      ['/api/queries?cursor=999', 'Requested cursor is invalid'],
      ['/api/queries?status=X', 'Requested status is invalid'],
      ['/api/stats/database/summary?from=1', 'You need to specify both "from" and "until" in the request.'],
    ] as const) {
      const { status, body } = await service.call('GET', path);
      assert.deepEqual(
        [status, at(body, 'error', 'key'), at(body, 'error', 'message')],
        [400, refusedKey, message],
      );
    }
  });

  test('statistics agree with GET /api/queries', async () => {
    const { body } = await get('/api/stats/summary');
    assert.deepEqual(
      ['total', 'blocked', 'cached', 'unique_domains'].map((field) => at(body, 'queries', field)),
      [total, deniedTimes, localTimes, 2],
    );
    assert.deepEqual([at(body, 'clients', 'active'), at(body, 'clients', 'total')], [1, 1]);
    const top = await get('/api/stats/top_domains?blocked=true');
    assert.deepEqual(listAt(top.body, 'domains'), [{ domain: denied, count: deniedTimes }]);
    const clients = await get('/api/stats/top_clients');
    assert.deepEqual(at(clients.body, 'clients', 0, 'count'), total);
    assert.deepEqual(at((await get('/api/stats/recent_blocked')).body, 'blocked'), [denied]);
    const summary = await get('/api/stats/summary');
    const program = await get('/api/info/ftl');
    assert.deepEqual(at(program.body, 'ftl', 'clients'), at(summary.body, 'clients'));
    assert.equal(at(summary.body, 'clients', 'active'), 1);
    const history = listAt((await get('/api/history')).body, 'history');
    assert.equal(
      history.reduce<number>((sum, slot) => sum + Number(at(slot, 'total')), 0),
      total,
    );
    const range = `from=1&until=${String(Math.ceil(Date.now() / 1000) + 10)}`;
    assert.equal(at((await get(`/api/stats/database/summary?${range}`)).body, 'sum_queries'), total);
    const info = await get('/api/info/database');
    assert.deepEqual([at(info.body, 'queries'), at(info.body, 'queries_disk')], [total, total]);
    assert.equal(at(info.body, 'type'), 'Regular file');
  });

  test('GET /api/queries/export returns CSV and JSON lines', async () => {
    const csv = await get('/api/queries/export?upstream=blocklist');
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(csv.text.trimEnd().split('\r\n').length, deniedTimes + 1);
    const lines = (await get('/api/queries/export?format=jsonl')).text.trimEnd().split('\n');
    assert.deepEqual(lines.map((line) => at(JSON.parse(line), 'domain')).at(-1), localName);
    assert.equal(lines.length, total);
  });

  test('sluice queries, stats and top print the same queries', async () => {
    const sluice = (...args: readonly string[]) => runCommand(args, { dir: service.dir });
    const [queries, stats, top] = await Promise.all([
      sluice('queries', '--domain', 'ads*'),
      sluice('stats'),
      sluice('top', 'blocked'),
    ]);
    assert.equal(queries.out.trimEnd().split('\n').length, deniedTimes, queries.err);
    assert.match(queries.out, /(?:127\.0\.0\.1|localhost) +A +DENYLIST .*ads\.example\n/u);
    assert.match(stats.out, /queries +5 .*\nblocked +2 +40\.0 %/u);
    assert.equal(top.out, 'queries  blocked domain\n2        ads.example\n');
  });
});

const set = (level: number): Promise<Reply> =>
  service.call('PATCH', '/api/config', { body: { config: { misc: { privacylevel: level } } } });

// These tests come last, because they affect all later queries.
test('privacy level 2 hides domains and clients that were recorded before', async () => {
  assert.equal((await set(2)).status, 200);
  const { body } = await get('/api/queries?length=1');
  assert.deepEqual(at(body, 'queries', 0, 'domain'), 'hidden');
  assert.equal(at(body, 'queries', 0, 'client', 'ip'), '0.0.0.0');
  assert.equal(at((await get('/api/stats/top_clients')).body, 'total_queries'), -1);
  assert.deepEqual(at((await get('/api/history/clients')).body, 'clients'), []);
  await set(0);
});

test('privacy level 3 counts queries and records nothing else', async () => {
  const earlier = events.text();
  assert.equal((await set(3)).status, 200);
  for (let i = 0; i < 4; i++) await sendQuery(port, denied);
  const all = total + 4;
  const range = `from=1&until=${String(Math.ceil(Date.now() / 1000) + 10)}`;
  const figures = async (): Promise<unknown> => {
    const { body } = await get('/api/stats/summary');
    const upstreams = await get('/api/stats/upstreams');
    const slots = listAt((await get('/api/history')).body, 'history');
    return {
      summary: ['total', 'blocked'].map((field) => at(body, 'queries', field)),
      types: at((await get('/api/stats/query_types')).body, 'types', 'A'),
      upstreams: [at(upstreams.body, 'upstreams', 0, 'count'), at(upstreams.body, 'total_queries')],
      slots: slots.reduce<number>((sum, slot) => sum + Number(at(slot, 'total')), 0),
      stored: at((await get(`/api/stats/database/summary?${range}`)).body, 'sum_queries'),
      onDisk: at((await get('/api/info/database')).body, 'queries_disk'),
    };
  };
  const expected = {
    summary: [all, deniedTimes + 4],
    types: all,
    upstreams: [deniedTimes + 4, all],
    slots: all,
    stored: total,
    onDisk: total,
  };
  assert.deepEqual(await figures(), expected);
  assert.deepEqual(at((await get('/api/queries')).body, 'queries'), []);
  assert.equal((await get('/api/queries/export?format=jsonl')).text, '');
  // Hidden queries stay hidden.
  await set(0);
  assert.deepEqual(await figures(), expected);
  assert.equal(at((await get('/api/queries')).body, 'recordsTotal'), total);
  await sendQuery(port, localName);
  const since = (): string => events.text().slice(earlier.length);
  await until('The next query is published', () => (since().includes(localName) ? true : undefined));
  assert.doesNotMatch(since(), /DENYLIST|hidden/u);
});

test('POST /api/action/flush/logs deletes all queries', async () => {
  const reply = await service.call('POST', '/api/action/flush/logs');
  assert.deepEqual([reply.status, at(reply.body, 'status')], [200, 'success']);
  assert.equal(at((await get('/api/queries')).body, 'recordsTotal'), 0);
  assert.equal(at((await get('/api/stats/summary')).body, 'queries', 'total'), 0);
});
