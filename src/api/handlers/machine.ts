// Handlers of figures about the machine and the program, in the fields that existing clients read. Counters
// of dnsmasq have the value of the closest figure here; those without one are zero.

import type { DnsFigures } from '#engine';
import { dnsmasqCounts, type ReplyBody } from '#contract';
import type { CounterSums } from '#engine/counters';
import { memoryPercent, readHost, readSensors, readSystem } from '#platform/hardware';
import type { Handlers } from '../http/handler.ts';
import type { LoadMeter } from '../metrics/load-meter.ts';
import type { ReadModel } from '#store/database';
import type { StoredDomain } from '#store/database/entities';

type Names = 'getSystemInfo' | 'getHostInfo' | 'getSensors' | 'getProgramInfo' | 'getDnsMetrics';
type Program = ReplyBody<'getProgramInfo', 200>['ftl'];
type Metrics = ReplyBody<'getDnsMetrics', 200>['metrics'];

export interface MachineParts {
  readonly read: Pick<ReadModel, 'groups' | 'lists' | 'clients' | 'domains'>;
  readonly load: LoadMeter;
  /** Resolves when the figures contain the current content of the caches. */
  readonly countCaches: () => Promise<unknown>;
  readonly dns: () => { readonly sums: CounterSums; readonly figures: DnsFigures | undefined };
  /** The same numbers as in the statistics of the last 24 hours. */
  readonly clients: () => Promise<Program['clients']>;
  readonly privacyLevel: () => number;
  readonly residentBytes: () => number;
  readonly startedMs: number;
  readonly wallMs: () => number;
}

export function createMachineHandlers(parts: MachineParts): Pick<Handlers, Names> {
  return {
    getSystemInfo: async () => {
      const { load, residentBytes } = parts;
      const system = await readSystem({
        machineCpuPercent: load.machinePercent(),
        processCpuPercent: load.processPercent(),
        residentBytes: residentBytes(),
      });
      return { status: 200, body: { system } };
    },
    getHostInfo: async () => ({ status: 200, body: { host: await readHost() } }),
    getSensors: async () => ({ status: 200, body: { sensors: await readSensors() } }),
    getProgramInfo: async () => ({
      status: 200,
      body: { ftl: programInfo(parts, await parts.clients()) },
    }),
    getDnsMetrics: async () => {
      await parts.countCaches();
      const { typeText } = await import('#wire');
      return { status: 200, body: { metrics: dnsMetrics(parts, typeText) } };
    },
  };
}

function programInfo(parts: MachineParts, clients: Program['clients']): Program {
  const { read, load } = parts;
  const nowMs = parts.wallMs();
  const { sums, figures } = parts.dns();
  return {
    database: {
      gravity: figures?.listNames ?? 0,
      groups: read.groups.filter(({ enabled }) => enabled).length,
      lists: read.lists.filter(({ enabled }) => enabled).length,
      clients: read.clients.size,
      domains: { allowed: totals(read, 'allow', 'exact'), denied: totals(read, 'deny', 'exact') },
      regex: { allowed: totals(read, 'allow', 'regex'), denied: totals(read, 'deny', 'regex') },
    },
    privacy_level: parts.privacyLevel(),
    query_frequency: load.queriesPerSecond(),
    clients,
    pid: process.pid,
    uptime: nowMs - parts.startedMs,
    '%mem': memoryPercent(parts.residentBytes()),
    '%cpu': load.processPercent(),
    allow_destructive: true,
    dnsmasq: asDnsmasq(repliesOf(sums), figures),
  };
}

function totals(
  { domains }: Pick<ReadModel, 'domains'>,
  type: StoredDomain['type'],
  kind: StoredDomain['kind'],
): { readonly total: number; readonly enabled: number } {
  const found = domains.filter((one) => one.type === type && one.kind === kind);
  return { total: found.length, enabled: found.filter(({ enabled }) => enabled).length };
}

/** Each answer counts once, so that the parts add up to the sum. */
function repliesOf(sums: CounterSums): Metrics['dns']['replies'] {
  return {
    local: sums.cached + sums.local + sums.special + sums.blocked + sums.blockedByTarget,
    forwarded: sums.forwarded + sums.upstreamBlocked,
    optimized: sums.stale,
    unanswered: sums.failed,
    auth: 0,
    sum: sums.queries,
  };
}

function asDnsmasq(replies: Metrics['dns']['replies'], figures: DnsFigures | undefined): Program['dnsmasq'] {
  const known: Partial<Program['dnsmasq']> = {
    dns_cache_inserted: figures?.cache.inserted ?? 0,
    dns_cache_live_freed: figures?.cache.evicted ?? 0,
    dns_queries_forwarded: replies.forwarded,
    dns_local_answered: replies.local,
    dns_stale_answered: replies.optimized,
    dns_unanswered: replies.unanswered,
  };
  // Every name has a number.
  return Object.fromEntries(dnsmasqCounts.map((name) => [name, known[name] ?? 0])) as Program['dnsmasq'];
}

function dnsMetrics(parts: MachineParts, typeText: (type: number) => string): Metrics {
  const { sums, figures } = parts.dns();
  const content = figures?.cache.content ?? [];
  return {
    dns: {
      cache: {
        size: figures?.cache.room ?? 0,
        inserted: figures?.cache.inserted ?? 0,
        evicted: figures?.cache.evicted ?? 0,
        expired: content.reduce((sum, { stale }) => sum + stale, 0),
        immortal: 0,
        content: content.map(({ type, valid, stale }) => ({
          type,
          name: typeText(type),
          count: { valid, stale },
        })),
      },
      replies: repliesOf(sums),
    },
    dhcp: noDhcp,
  };
}

const noDhcp: Metrics['dhcp'] = {
  ack: 0,
  decline: 0,
  discover: 0,
  inform: 0,
  nak: 0,
  offer: 0,
  release: 0,
  request: 0,
  noanswer: 0,
  bootp: 0,
  pxe: 0,
  leases: { allocated_4: 0, pruned_4: 0, allocated_6: 0, pruned_6: 0 },
};
