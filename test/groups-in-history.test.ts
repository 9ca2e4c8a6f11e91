// Groups in the history: hiding the queries of clients whose group has a privacy level, and the figures of
// one group alone.

import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { after, before, test } from 'node:test';

import { boot, type Service } from './running/boot.ts';
import { dnsEnvironment, dnsPort, localName, patienceMs } from './running/dns-service.ts';
import { at, describe as shown, listAt } from './running/reply.ts';

const openly = '127.0.0.1';
const child = '127.0.0.9';
const secret = '127.0.0.8';

let service: Service;
let port: number;

const must = async (method: string, path: string, body?: object): Promise<unknown> => {
  const reply = await service.call(method, path, body === undefined ? {} : { body });
  assert.ok(reply.status < 300, shown(reply));
  return reply.body;
};

const queryFrom = async (from: string): Promise<void> => {
  const resolver = new Resolver({ timeout: patienceMs, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  resolver.setLocalAddress(from);
  assert.deepEqual(await resolver.resolve4(localName), ['192.0.2.7']);
};

const group = async (name: string, privacy: number, client: string): Promise<void> => {
  const body = await must('POST', '/api/groups', { name, privacy });
  assert.equal(at(body, 'groups', 0, 'privacy'), privacy);
  await must('POST', '/api/clients', { client, groups: [0, Number(at(body, 'groups', 0, 'id'))] });
};

const log = async (): Promise<string[]> =>
  listAt(await must('GET', '/api/queries'), 'queries').map(
    (query) => `${String(at(query, 'domain'))} ${String(at(query, 'client', 'ip'))}`,
  );

const total = async (narrowed: string): Promise<unknown> =>
  at(await must('GET', `/api/stats/summary?${narrowed}`), 'queries', 'total');

before(async () => {
  service = await boot({ env: { ...dnsEnvironment(9), SLUICE_DNS_WORKERS: '1' } });
  port = await dnsPort(service);
  await group('children', 1, child);
  await group('secret', 2, secret);
});
after(() => service.stop());

test('the privacy level of a group hides the domain or the client from the first query on', async () => {
  for (const from of [openly, child, secret]) await queryFrom(from);
  assert.deepEqual(await log(), ['hidden 0.0.0.0', `hidden ${child}`, `${localName} ${openly}`]);
  const { body } = await service.call('GET', '/api/stats/top_domains');
  assert.deepEqual(listAt(body, 'domains'), [{ domain: localName, count: 1 }]);
});

test('GET /api/stats/summary?group= counts only that group, and gets 400 for an unknown one', async () => {
  assert.deepEqual(await Promise.all(['group=children', 'group=1', 'group=0', ''].map(total)), [1, 1, 2, 3]);
  const { status, body } = await service.call('GET', '/api/stats/summary?group=strangers');
  assert.deepEqual([status, at(body, 'error', 'message')], [400, 'Unknown group']);
});

test('a new privacy level applies to new queries, and hidden queries stay hidden', async () => {
  await must('PATCH', '/api/groups/secret', { privacy: 3 });
  await must('PATCH', '/api/groups/children', { privacy: 0 });
  await queryFrom(secret);
  await queryFrom(child);
  const [newest, ...older] = await log();
  assert.equal(newest, `${localName} ${child}`);
  assert.deepEqual(older, ['hidden 0.0.0.0', `hidden ${child}`, `${localName} ${openly}`]);
  // A query that is only counted is part of the total but of no client's figures.
  assert.deepEqual(await Promise.all(['', 'group=secret', 'client=0.0.0.0'].map(total)), [5, 0, 2]);
  const stored = await must('GET', '/api/stats/database/summary?from=1&until=9999999999');
  assert.equal(at(stored, 'sum_queries'), 4);
});
