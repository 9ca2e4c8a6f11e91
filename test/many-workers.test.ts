// More dns workers than the default: the queries of all of them are counted, recorded and shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sendQuery, bootWithDns, dnsEnvironment, localName } from './running/dns-service.ts';
import { scrape } from './running/prometheus.ts';
import { at, listAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

const workers = 6;
/** Each query comes from another port, because the port selects the worker. */
const queries = 300;
const atOnce = 20;

test('six dns workers run, and every query is in metrics, status and history', async (t) => {
  const env = { ...dnsEnvironment(9), SLUICE_DNS_WORKERS: String(workers) };
  const { service, port } = await bootWithDns(t, { env });
  const get = async (path: string): Promise<unknown> =>
    (await service.call('GET', path, { via: 'control' })).body;
  const threads = listAt(await get('/api/status'), 'status', 'threads')
    .filter((row) => String(at(row, 'name')).startsWith('dns'))
    .map((row) => `${String(at(row, 'name'))} ${String(at(row, 'state'))}`);
  assert.deepEqual(
    threads,
    Array.from({ length: workers }, (_, index) => `dns${index + 1} running`),
  );
  for (let asked = 0; asked < queries; asked += atOnce) {
    const codes = await Promise.all(Array.from({ length: atOnce }, () => sendQuery(port, localName)));
    assert.deepEqual(new Set(codes), new Set([0]));
  }
  assert.equal(at(await get('/api/status'), 'status', 'dns', 'queries'), queries);
  const metrics = scrape((await service.call('GET', '/metrics', { via: 'control' })).text, 'text');
  assert.equal(metrics.value('sluice_dns_answers_total', { origin: 'local' }), queries);
  for (let worker = 1; worker <= workers; worker++)
    assert.equal(metrics.value('sluice_thread_up', { thread: `dns${worker}` }), 1);
  await until('The history has all queries', async () =>
    at(await get('/api/queries?length=1'), 'recordsTotal') === queries ? true : undefined,
  );
});
