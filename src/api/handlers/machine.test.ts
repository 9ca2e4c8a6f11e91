// Figures of the program in the fields of existing clients: counters under the names of dnsmasq, parts that
// add up to the sum, and zeros without DNS. And the priorities of log lines.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dnsmasqCounts } from '#contract';
import { ShownLogs } from '#platform/log';
import { LoadMeter } from '../metrics/load-meter.ts';
import { Collection } from '#store/database';
import { createLogHandlers } from './logs.ts';
import { createMachineHandlers, type MachineParts } from './machine.ts';

const sums = {
  queries: 511,
  forwarded: 1,
  cached: 2,
  stale: 4,
  local: 8,
  special: 16,
  blocked: 32,
  blockedByTarget: 64,
  upstreamBlocked: 128,
  failed: 256,
  strangers: 7,
  overLimit: 7,
  unanswered: 7,
  foreignRecords: 7,
  malformed: 7,
  overloaded: 7,
  coalesced: 7,
  refreshed: 7,
};

const figures: ReturnType<MachineParts['dns']>['figures'] = {
  verdicts: [],
  transports: [],
  rcodes: [],
  cache: {
    entries: 30,
    bytes: 1,
    capacityBytes: 2,
    room: 100,
    inserted: 40,
    evicted: 3,
    content: [
      { type: 1, valid: 10, stale: 5 },
      { type: 65_280, valid: 0, stale: 6 },
    ],
  },
  listNames: 1_000,
  upstreams: [],
  expressions: { unfinished: 0, costly: [] },
};

function none<T extends { readonly id: number }>(name: string): Collection<T> {
  return new Collection<T>(name, () => '', []);
}
const read: MachineParts['read'] = {
  groups: none('groups'),
  lists: none('lists'),
  clients: none('clients'),
  domains: none('domains'),
};

function handlersWith(change: Partial<MachineParts>) {
  const load = { atMs: 0, queries: 0, cpuSeconds: 0, totalTicks: 0, idleTicks: 0 };
  return createMachineHandlers({
    read,
    load: new LoadMeter(() => load),
    countCaches: () => Promise.resolve(),
    dns: () => ({ sums, figures }),
    clients: () => Promise.resolve({ total: 3, active: 2 }),
    privacyLevel: () => 0,
    residentBytes: () => 1_000_000,
    startedMs: 86_300_000,
    wallMs: () => 86_500_000,
    ...change,
  });
}

function from() {
  return assert.fail('These handlers do not need the origin of the request.');
}
const request = { params: {}, query: {}, body: undefined, caller: undefined, ifMatch: undefined, from };

describe('figures of the program', () => {
  test('getDnsMetrics counts answers and cache entries', async () => {
    const reply = await handlersWith({}).getDnsMetrics(request);
    assert.ok('body' in reply && 'metrics' in reply.body);
    const { cache, replies } = reply.body.metrics.dns;
    assert.deepEqual(replies, {
      local: 122,
      forwarded: 129,
      optimized: 4,
      unanswered: 256,
      auth: 0,
      sum: 511,
    });
    assert.deepEqual(cache, {
      size: 100,
      inserted: 40,
      evicted: 3,
      expired: 11,
      immortal: 0,
      content: [
        { type: 1, name: 'A', count: { valid: 10, stale: 5 } },
        { type: 65_280, name: 'TYPE65280', count: { valid: 0, stale: 6 } },
      ],
    });
  });

  test('getProgramInfo has the counters under the names of dnsmasq', async () => {
    const reply = await handlersWith({}).getProgramInfo(request);
    assert.ok('body' in reply && 'ftl' in reply.body);
    const { dnsmasq, clients, uptime, database } = reply.body.ftl;
    assert.deepEqual(Object.keys(dnsmasq), [...dnsmasqCounts]);
    assert.deepEqual(
      Object.entries(dnsmasq).filter(([, count]) => count > 0),
      [
        ['dns_cache_inserted', 40],
        ['dns_cache_live_freed', 3],
        ['dns_queries_forwarded', 129],
        ['dns_local_answered', 122],
        ['dns_stale_answered', 4],
        ['dns_unanswered', 256],
      ],
    );
    assert.deepEqual([clients, uptime, database.gravity], [{ total: 3, active: 2 }, 200_000, 1_000]);
  });

  test('getDnsMetrics without DNS has no cache content', async () => {
    const off = handlersWith({ dns: () => ({ sums, figures: undefined }) });
    const reply = await off.getDnsMetrics(request);
    assert.ok('body' in reply && 'metrics' in reply.body);
    assert.deepEqual(reply.body.metrics.dns.cache.content, []);
  });
});

test('the log has the priorities that existing clients know', async () => {
  const logs = new ShownLogs();
  for (const level of ['error', 'warn', 'info', 'debug'] as const) logs.add('api', 1_500, level, 'api: x');
  const reply = await createLogHandlers(logs).getServiceLog({ ...request, query: { nextID: 0 } });
  assert.ok('body' in reply && 'log' in reply.body);
  assert.deepEqual(
    reply.body.log.map(({ prio }) => prio),
    ['ERROR', 'WARNING', 'INFO', 'DEBUG_API'],
  );
  assert.deepEqual([reply.body.log[0]?.timestamp, reply.body.nextID], [1.5, 4]);
});
