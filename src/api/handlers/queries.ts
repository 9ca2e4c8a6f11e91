// Handlers of the query log. The history skips, filters and counts rows. What it does not support (other
// orders, two patterns for one field) is done here on one full page of its rows.

import {
  fail,
  limits,
  queryDnssecNames,
  queryReplyNames,
  queryStatusNames,
  queryTypeNames,
  type Failure,
  type ReplyBody,
} from '#contract';
import { lastDay, type PageRequest, patternOf, type RowFilter } from '#history/segments';
import type { PageResult } from '#history/thread';
import type { Handlers, Request } from '../http/handler.ts';
import {
  queryHistory,
  clientFilter,
  domainFilter,
  hidesClients,
  hidesDomains,
  hidesQueries,
  isFailure,
  type HistoryParts,
} from './history-scope.ts';
import { filterOf, type QueriesQuery } from './query-filter.ts';
import { orderOf, searchesOf, type Comparison } from './query-order.ts';
import { presentQuery, type QueryResult } from './query-row.ts';

const defaultLength = 100;
const defaultSuggestions = 30;

export function createQueryHandlers(
  parts: HistoryParts,
): Pick<Handlers, 'getQueries' | 'getQuerySuggestions'> {
  return {
    getQueries: (request) => getQueries(parts, request),
    getQuerySuggestions: (request) => getSuggestions(parts, request),
  };
}

async function getQueries(parts: HistoryParts, request: Request<'getQueries'>) {
  const { query } = request;
  const { draw = 0 } = query;
  const filter = filterOf(parts, query);
  if ('failure' in filter) return filter;
  const cursor = cursorOf(query.cursor);
  if (typeof cursor === 'object') return cursor;
  if (hidesQueries(parts)) return { status: 200 as const, body: { ...concealed, draw } };
  const view = viewOf(parts, query, pageOf(query, filter, cursor));
  const result = await queryPage(parts, request, view);
  if (isFailure(result)) return result;
  if (cursor !== undefined && cursor > result.lastId)
    return fail('invalidCursor', `${cursor} is above the newest id, which is ${result.lastId}.`);
  return { status: 200 as const, body: presentPage(parts, view, result, cursor, draw) };
}

function presentPage(
  parts: HistoryParts,
  view: View,
  result: PageResult,
  cursor: number | undefined,
  draw: number,
): ReplyBody<'getQueries', 200> {
  const hidden = { domains: hidesDomains(parts), clients: hidesClients(parts) };
  const all = result.rows.map((row) => presentQuery(row, hidden));
  const { queries, recordsFiltered, next, truncated } = view.isPlain
    ? plain(all, result)
    : filteredAndSorted(all, result, view);
  const newest = result.lastId === 0 ? null : result.lastId;
  const { recordsTotal } = result;
  return { queries, cursor: cursor ?? newest, recordsTotal, recordsFiltered, draw, next, truncated };
}

const concealed = {
  queries: [],
  cursor: null,
  recordsTotal: 0,
  recordsFiltered: 0,
  draw: 0,
  next: null,
  truncated: false,
};

function cursorOf(text: string | undefined): number | undefined | Failure<'invalidCursor'> {
  if (text === undefined || text === '') return undefined;
  return /^\d{1,15}$/u.test(text) ? Number(text) : fail('invalidCursor', `${text} is not a number.`);
}

function pageOf(query: QueriesQuery, filter: RowFilter, cursor: number | undefined): PageRequest {
  const { from, until, after, length = defaultLength, start = 0 } = query;
  return {
    ...filter,
    ...(from !== undefined && { fromMs: from * 1000 }),
    ...(until !== undefined && { untilMs: until * 1000 }),
    ...(cursor !== undefined && { cursor }),
    ...(after !== undefined && { after }),
    start,
    length: length < 0 ? limits.queriesPerPage : length,
  };
}

/** The part of the request for the history, and the part that is left to do here. */
interface View {
  readonly wanted: PageRequest;
  readonly order: Comparison | undefined;
  readonly keeps: readonly ((query: QueryResult) => boolean)[];
  /** Nothing is left to do here. */
  readonly isPlain: boolean;
}

function viewOf(parts: HistoryParts, query: QueriesQuery, wanted: PageRequest): View {
  const order = orderOf(query);
  const searches = searchesOf(query);
  const keeps: ((query: QueryResult) => boolean)[] = [];
  let filter: RowFilter = {};
  if (searches.domain !== undefined) {
    const pattern = `*${searches.domain}*`;
    const fits = patternOf(pattern);
    if (wanted.domain === undefined) filter = domainFilter(parts, pattern);
    else keeps.push(({ domain }) => fits(domain));
  }
  if (searches.client !== undefined) {
    const pattern = `*${searches.client}*`;
    const fits = patternOf(pattern);
    const isFree = wanted.clientIp === undefined && wanted.clientName === undefined;
    if (isFree) filter = { ...filter, ...clientFilter(parts, 'client', pattern) };
    else keeps.push(({ client }) => fits(client.ip) || fits(client.name ?? ''));
  }
  const isPlain = order === undefined && keeps.length === 0;
  return {
    wanted: { ...wanted, ...filter },
    order,
    keeps,
    isPlain,
  };
}

function queryPage(
  parts: HistoryParts,
  request: Request<'getQueries'>,
  { wanted, isPlain }: View,
): Promise<PageResult | Failure<'historyAway'>> {
  const page = isPlain ? wanted : { ...wanted, start: 0, length: limits.queriesPerPage };
  return queryHistory(parts, request, 'page', page);
}

interface Shown {
  readonly queries: QueryResult[];
  readonly recordsFiltered: number | null;
  readonly next: number | null;
  readonly truncated: boolean;
}

function plain(queries: QueryResult[], { recordsFiltered, next, truncated }: PageResult): Shown {
  return {
    queries,
    recordsFiltered,
    next: next ?? null,
    truncated,
  };
}

/** Filters and sorts the rows of the page; rows beyond the page are not included. */
function filteredAndSorted(
  queries: readonly QueryResult[],
  result: PageResult,
  { wanted: { start, length }, order, keeps }: View,
): Shown {
  const kept = queries.filter((query) => keeps.every((keep) => keep(query)));
  const sorted = order === undefined ? kept : kept.toSorted(order);
  const isAll = result.next === undefined && !result.truncated;
  const counted = keeps.length === 0 ? result.recordsFiltered : null;
  return {
    queries: sorted.slice(start, start + length),
    recordsFiltered: isAll ? kept.length : counted,
    next: null,
    truncated: !isAll,
  };
}

async function getSuggestions(parts: HistoryParts, request: Request<'getQuerySuggestions'>) {
  const { count = defaultSuggestions } = request.query;
  const { fromMs, untilMs } = lastDay(parts.nowMs());
  const result = await queryHistory(parts, request, 'suggestions', { fromMs, untilMs, count });
  if (isFailure(result)) return result;
  const clients = hidesClients(parts) ? [] : result.clients;
  const names = new Set(clients.map(({ name }) => name).filter((name) => name !== ''));
  return {
    status: 200 as const,
    body: {
      suggestions: {
        domain: hidesDomains(parts) ? [] : [...result.domains],
        client_ip: clients.map(({ ip }) => ip),
        client_name: [...names],
        upstream: ['blocklist', 'cache', ...result.upstreams, 'permitted'],
        type: [...queryTypeNames],
        status: [...queryStatusNames],
        reply: [...queryReplyNames],
        dnssec: [...queryDnssecNames],
      },
    },
  };
}
