// Handlers of the statistics, of the last 24 hours and of any range of time: the same questions, told in the
// fields that existing clients know.

import { longTermTypeNames, queryReplyNames, queryStatusNames, queryTypeNames, queryTypes } from '#contract';
import { type Counts, hiddenName, StatusClass, statusesOf } from '#history/segments';
import type { Scope, UpstreamsResult, TopQuestion } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import {
  ask,
  askWithin,
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
  /** How many names the lists in force have, and when one of them was fetched last. */
  readonly gravity: () => { readonly names: number; readonly updatedSeconds: number };
}

const latelySeconds = 30;
const usualTop = 10;
const stored = {};

export function createStatisticsHandlers(parts: StatisticsParts): Pick<Handlers, Names> {
  return {
    getSummary: (request) => getSummary(parts, request),
    getQueryTypes: async (request) => {
      const told = await askWithin(parts, request, 'totals', live);
      if (isFailure(told)) return told;
      return {
        status: 200,
        body: { types: typeCounts(queryTypeNames, told.types), truncated: told.truncated },
      };
    },
    getUpstreams: async (request) => {
      const told = await askWithin(parts, request, 'upstreams', live);
      if (isFailure(told)) return told;
      const { total, forwarded, truncated } = told;
      const upstreams = [ours('blocklist', told.blocked), ours('cache', told.cached), ...upstreamRows(told)];
      return {
        status: 200,
        body: { upstreams, total_queries: total, forwarded_queries: forwarded, truncated },
      };
    },
    getTopDomains: (request) => topDomains(parts, request, live),
    getTopClients: async (request) => {
      const told = await topClients(parts, request, live);
      return 'failure' in told ? told : { status: 200, body: told };
    },
    getRecentBlocked: (request) => getRecentBlocked(parts, request),
    getLongTermSummary: async (request) => {
      const told = await askWithin(parts, request, 'totals', stored);
      if (isFailure(told)) return told;
      const { total, blocked, activeClients, truncated } = told;
      const sums = { sum_queries: total, sum_blocked: blocked, percent_blocked: percentOf(blocked, total) };
      return { status: 200, body: { ...sums, total_clients: activeClients, truncated } };
    },
    getLongTermQueryTypes: async (request) => {
      const told = await askWithin(parts, request, 'totals', stored);
      if (isFailure(told)) return told;
      const types = typeCounts(longTermTypeNames, told.types);
      return { status: 200, body: { types, truncated: told.truncated } };
    },
    getLongTermUpstreams: async (request) => {
      const told = await askWithin(parts, request, 'upstreams', stored);
      if (isFailure(told)) return told;
      const { total, forwarded, truncated } = told;
      const upstreams = [...upstreamRows(told), ours('cache', told.cached), ours('blocklist', told.blocked)];
      return {
        status: 200,
        body: { upstreams, forwarded_queries: forwarded, total_queries: total, truncated },
      };
    },
    getLongTermTopDomains: (request) => topDomains(parts, request, stored),
    getLongTermTopClients: async (request) => {
      const told = await topClients(parts, request, stored);
      if ('failure' in told) return told;
      const clients = told.clients.map(({ ip, name, count }) => ({ ip, name, count }));
      return { status: 200, body: { ...told, clients } };
    },
  };
}

async function getSummary(parts: StatisticsParts, request: Request<'getSummary'>) {
  const told = await askWithin(parts, request, 'summary', live);
  if (isFailure(told)) return told;
  const { names, updatedSeconds } = parts.gravity();
  const queries = {
    total: told.total,
    blocked: told.blocked,
    percent_blocked: percentOf(told.blocked, told.total),
    unique_domains: told.uniqueDomains,
    forwarded: told.forwarded,
    cached: told.cached,
    frequency: told.lately / latelySeconds,
    types: typeCounts(queryTypeNames, told.types),
    status: placeCounts(queryStatusNames, told.statuses),
    replies: placeCounts(queryReplyNames, told.replies),
  };
  const clients = { active: told.activeClients, total: told.clientsTotal };
  const gravity = { domains_being_blocked: names, last_update: updatedSeconds };
  return { status: 200 as const, body: { queries, clients, gravity, truncated: told.truncated } };
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (part * 100) / whole;
}

/** By the place of each name; a number that none has (of a newer program) counts as the first, unknown. */
function placeCounts<N extends string>(names: readonly N[], counts: Counts): Record<N, number> {
  const sums = names.map((_, place) => counts.get(place) ?? 0);
  for (const [place, count] of counts) if (place >= names.length) sums[0] = (sums[0] ?? 0) + count;
  // One entry for each of the names.
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
  // One entry for each of the names, and every sum has one of them.
  return Object.fromEntries(sums) as Record<N, number>;
}

function ours(name: 'blocklist' | 'cache', count: number) {
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
    count: query.count ?? usualTop,
  };
}

const concealed = { total_queries: -1, blocked_queries: -1, truncated: false };

async function topDomains(parts: StatisticsParts, request: TopRequest, what: Pick<Scope, 'isLive'>) {
  if (hidesDomains(parts)) return { status: 200 as const, body: { domains: [], ...concealed } };
  const told = await askWithin(parts, request, 'topDomains', { ...rankingOf(request.query), ...what });
  if (isFailure(told)) return told;
  const { total, blocked, domains, truncated } = told;
  const totals = { total_queries: total, blocked_queries: blocked, truncated };
  return { status: 200 as const, body: { domains: [...domains], ...totals } };
}

async function topClients(parts: StatisticsParts, request: TopRequest, what: Pick<Scope, 'isLive'>) {
  if (hidesClients(parts)) return { clients: [], ...concealed };
  const told = await askWithin(parts, request, 'topClients', { ...rankingOf(request.query), ...what });
  if (isFailure(told)) return told;
  const clients = told.clients.map(({ ip, name, count }) => ({ name, ip, count }));
  return { clients, total_queries: told.total, blocked_queries: told.blocked, truncated: told.truncated };
}

async function getRecentBlocked(parts: StatisticsParts, request: Request<'getRecentBlocked'>) {
  const { count = 1 } = request.query;
  if (hidesDomains(parts)) return { status: 200 as const, body: { blocked: [], truncated: false } };
  const scope = await wantedScope(parts, request);
  if ('failure' in scope) return scope;
  const { fromMs, untilMs, filter, isPartial = false } = scope;
  const statuses = statusesOf(StatusClass.blocked);
  const page = { ...filter, statuses, fromMs, untilMs, start: 0, length: count, isUncounted: true };
  const told = await ask(parts, request, 'page', page);
  if (isFailure(told)) return told;
  const blocked = told.rows.map(({ domain }) => (domain === '' ? hiddenName : domain));
  return { status: 200 as const, body: { blocked, truncated: isPartial || told.isCut } };
}
