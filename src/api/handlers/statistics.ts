// Handlers of the statistics of the last 24 hours and of any time range, in the fields that existing clients
// know. Both send the same questions to the history.

import { longTermTypeNames, queryReplyNames, queryStatusNames, queryTypeNames, queryTypes } from '#contract';
import { type Counts, hiddenName, StatusClass, statusesOf } from '#history/segments';
import type { Scope, UpstreamsResult, TopQuestion } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import {
  queryHistory,
  queryHistoryWithin,
  hidesClients,
  hidesDomains,
  isFailure,
  live,
  wantedScope,
  type HistoryParts,
} from './history-scope.ts';

type Names =
  | 'getSummary'
  | 'getQueryTypes'
  | 'getUpstreams'
  | 'getTopDomains'
  | 'getTopClients'
  | 'getRecentBlocked'
  | 'getLongTermSummary'
  | 'getLongTermQueryTypes'
  | 'getLongTermUpstreams'
  | 'getLongTermTopDomains'
  | 'getLongTermTopClients';

export interface StatisticsParts extends HistoryParts {
  /** How many names the lists in force contain, and when one of them was last downloaded. */
  readonly gravity: () => { readonly names: number; readonly updatedSeconds: number };
}

const latelySeconds = 30;
const defaultTop = 10;
const stored = {};

export function createStatisticsHandlers(parts: StatisticsParts): Pick<Handlers, Names> {
  return {
    getSummary: (request) => getSummary(parts, request),
    getQueryTypes: async (request) => {
      const result = await queryHistoryWithin(parts, request, 'totals', live);
      if (isFailure(result)) return result;
      return {
        status: 200,
        body: { types: typeCounts(queryTypeNames, result.types), truncated: result.truncated },
      };
    },
    getUpstreams: (request) => getUpstreams(parts, request),
    getTopDomains: (request) => topDomains(parts, request, live),
    getTopClients: async (request) => {
      const result = await topClients(parts, request, live);
      return 'failure' in result ? result : { status: 200, body: result };
    },
    getRecentBlocked: (request) => getRecentBlocked(parts, request),
    getLongTermSummary: async (request) => {
      const result = await queryHistoryWithin(parts, request, 'totals', stored);
      if (isFailure(result)) return result;
      const { total, blocked, activeClients, truncated } = result;
      const sums = { sum_queries: total, sum_blocked: blocked, percent_blocked: percentOf(blocked, total) };
      return { status: 200, body: { ...sums, total_clients: activeClients, truncated } };
    },
    getLongTermQueryTypes: async (request) => {
      const result = await queryHistoryWithin(parts, request, 'totals', stored);
      if (isFailure(result)) return result;
      const types = typeCounts(longTermTypeNames, result.types);
      return { status: 200, body: { types, truncated: result.truncated } };
    },
    getLongTermUpstreams: (request) => getLongTermUpstreams(parts, request),
    getLongTermTopDomains: (request) => topDomains(parts, request, stored),
    getLongTermTopClients: async (request) => {
      const result = await topClients(parts, request, stored);
      if ('failure' in result) return result;
      const clients = result.clients.map(({ ip, name, count }) => ({ ip, name, count }));
      return { status: 200, body: { ...result, clients } };
    },
  };
}

async function getSummary(parts: StatisticsParts, request: Request<'getSummary'>) {
  const result = await queryHistoryWithin(parts, request, 'summary', live);
  if (isFailure(result)) return result;
  const { names, updatedSeconds } = parts.gravity();
  const queries = {
    total: result.total,
    blocked: result.blocked,
    percent_blocked: percentOf(result.blocked, result.total),
    unique_domains: result.uniqueDomains,
    forwarded: result.forwarded,
    cached: result.cached,
    frequency: result.lately / latelySeconds,
    types: typeCounts(queryTypeNames, result.types),
    status: countsByName(queryStatusNames, result.statuses),
    replies: countsByName(queryReplyNames, result.replies),
  };
  const clients = { active: result.activeClients, total: result.clientsTotal };
  const gravity = { domains_being_blocked: names, last_update: updatedSeconds };
  return { status: 200 as const, body: { queries, clients, gravity, truncated: result.truncated } };
}

async function getUpstreams(parts: StatisticsParts, request: Request<'getUpstreams'>) {
  const result = await queryHistoryWithin(parts, request, 'upstreams', live);
  if (isFailure(result)) return result;
  const { total, forwarded, truncated } = result;
  const internal = [internalRow('blocklist', result.blocked), internalRow('cache', result.cached)];
  const upstreams = [...internal, ...upstreamRows(result)];
  return {
    status: 200 as const,
    body: { upstreams, total_queries: total, forwarded_queries: forwarded, truncated },
  };
}

async function getLongTermUpstreams(parts: StatisticsParts, request: Request<'getLongTermUpstreams'>) {
  const result = await queryHistoryWithin(parts, request, 'upstreams', stored);
  if (isFailure(result)) return result;
  const { total, forwarded, truncated } = result;
  const internal = [internalRow('cache', result.cached), internalRow('blocklist', result.blocked)];
  const upstreams = [...upstreamRows(result), ...internal];
  return {
    status: 200 as const,
    body: { upstreams, forwarded_queries: forwarded, total_queries: total, truncated },
  };
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (part * 100) / whole;
}

/** Counts by name; a number without a name (from a newer version) counts as the first name, unknown. */
function countsByName<N extends string>(names: readonly N[], counts: Counts): Record<N, number> {
  const sums = names.map((_, place) => counts.get(place) ?? 0);
  for (const [place, count] of counts) if (place >= names.length) sums[0] = (sums[0] ?? 0) + count;
  // Every name has an entry.
  return Object.fromEntries(names.map((name, place) => [name, sums[place] ?? 0])) as Record<N, number>;
}

const namesOfTypes = new Map<number, string>(
  Object.entries(queryTypes).map(([name, number]) => [number, name]),
);

function typeCounts<N extends string>(names: readonly N[], counts: Counts): Record<N, number> {
  const sums = new Map<string, number>(names.map((name) => [name, 0]));
  for (const [type, count] of counts) {
    const name = namesOfTypes.get(type) ?? 'OTHER';
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  // Every name has an entry, and every sum has a name.
  return Object.fromEntries(sums) as Record<N, number>;
}

function internalRow(name: 'blocklist' | 'cache', count: number) {
  return {
    ip: name,
    name,
    port: -1,
    count,
    statistics: { response: 0, variance: 0 },
  };
}

function upstreamRows({ upstreams }: UpstreamsResult) {
  return upstreams.map(({ upstream, count, meanUs, deviationUs }) => {
    const [, ip = upstream, port = '0'] = /^(.*)#(\d{1,5})$/u.exec(upstream) ?? [];
    const statistics = { response: meanUs / 1e6, variance: deviationUs / 1e6 };
    return { ip, name: '', port: Math.min(Number(port), 65_535), count, statistics };
  });
}

type TopRequest = Request<
  'getTopDomains' | 'getLongTermTopDomains' | 'getTopClients' | 'getLongTermTopClients'
>;

function rankingOf(query: TopRequest['query']): Omit<TopQuestion, keyof Scope> {
  return {
    isBlocked: query.blocked ?? false,
    count: query.count ?? defaultTop,
  };
}

const concealed = { total_queries: -1, blocked_queries: -1, truncated: false };

async function topDomains(parts: StatisticsParts, request: TopRequest, what: Pick<Scope, 'isLive'>) {
  if (hidesDomains(parts)) return { status: 200 as const, body: { domains: [], ...concealed } };
  const result = await queryHistoryWithin(parts, request, 'topDomains', {
    ...rankingOf(request.query),
    ...what,
  });
  if (isFailure(result)) return result;
  const { total, blocked, domains, truncated } = result;
  const totals = { total_queries: total, blocked_queries: blocked, truncated };
  return { status: 200 as const, body: { domains: [...domains], ...totals } };
}

async function topClients(parts: StatisticsParts, request: TopRequest, what: Pick<Scope, 'isLive'>) {
  if (hidesClients(parts)) return { clients: [], ...concealed };
  const result = await queryHistoryWithin(parts, request, 'topClients', {
    ...rankingOf(request.query),
    ...what,
  });
  if (isFailure(result)) return result;
  const clients = result.clients.map(({ ip, name, count }) => ({ name, ip, count }));
  return {
    clients,
    total_queries: result.total,
    blocked_queries: result.blocked,
    truncated: result.truncated,
  };
}

async function getRecentBlocked(parts: StatisticsParts, request: Request<'getRecentBlocked'>) {
  const { count = 1 } = request.query;
  if (hidesDomains(parts)) return { status: 200 as const, body: { blocked: [], truncated: false } };
  const scope = await wantedScope(parts, request);
  if ('failure' in scope) return scope;
  const { fromMs, untilMs, filter, isPartial = false } = scope;
  const statuses = statusesOf(StatusClass.blocked);
  const page = { ...filter, statuses, fromMs, untilMs, start: 0, length: count, isUncounted: true };
  const result = await queryHistory(parts, request, 'page', page);
  if (isFailure(result)) return result;
  const blocked = result.rows.map(({ domain }) => (domain === '' ? hiddenName : domain));
  return { status: 200 as const, body: { blocked, truncated: isPartial || result.isCut } };
}
