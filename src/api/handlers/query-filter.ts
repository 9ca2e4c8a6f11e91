// The parameters of the query log made into a filter: names become numbers, and what this log has no such
// thing for is told by its own error. Texts may arrive encoded twice, because some clients do that.

import {
  fail,
  queryDnssecNames,
  queryReplyNames,
  queryStatusNames,
  queryTypes,
  type Failure,
} from '#contract';
import type { RowFilter } from '#history/segments';
import type { Request } from '../http/handler.ts';
import { clientFilter, domainFilter, type HistoryParts } from './history-scope.ts';

export type QueriesQuery = Request<'getQueries'>['query'];
/** What the log and its export have in common. */
type FilterQuery = Request<'exportQueries'>['query'];
type FilterFailure = Failure<
  'invalidQueryType' | 'invalidQueryStatus' | 'invalidQueryReply' | 'invalidQueryDnssec'
>;

const typesByName = new Map<string, number>(Object.entries(queryTypes));
const typeNumber = /^TYPE(\d{1,5})$/u;

/** What can be asked of the store; searches of DataTables are apart. */
export function filterOf(parts: HistoryParts, query: FilterQuery): RowFilter | FilterFailure {
  const wanted = textsOf(query);
  const types = wanted.type === undefined ? {} : typeFilter(wanted.type);
  if (types === undefined) return fail('invalidQueryType', wanted.type);
  const statuses = placeOf(queryStatusNames, wanted.status);
  if (statuses === null) return fail('invalidQueryStatus', wanted.status);
  const replies = placeOf(queryReplyNames, wanted.reply);
  if (replies === null) return fail('invalidQueryReply', wanted.reply);
  const dnssec = placeOf(queryDnssecNames, wanted.dnssec);
  if (dnssec === null) return fail('invalidQueryDnssec', wanted.dnssec);
  return {
    ...types,
    ...(statuses && { statuses }),
    ...(replies && { replies }),
    ...(dnssec && { dnssec }),
    ...textFilters(parts, wanted),
  };
}

type Texts = ReturnType<typeof textsOf>;

function textsOf({ domain, client_ip, client_name, upstream, type, status, reply, dnssec }: FilterQuery) {
  return {
    domain: textOf(domain),
    clientIp: textOf(client_ip),
    clientName: textOf(client_name),
    upstream: textOf(upstream),
    type: textOf(type),
    status: textOf(status),
    reply: textOf(reply),
    dnssec: textOf(dnssec),
  };
}

function textFilters(parts: HistoryParts, { domain, clientIp, clientName, upstream }: Texts): RowFilter {
  return {
    ...(upstream !== undefined && { upstream }),
    ...(clientIp !== undefined && clientFilter(parts, 'clientIp', clientIp)),
    ...(clientName !== undefined && clientFilter(parts, 'clientName', clientName)),
    ...(domain !== undefined && domainFilter(parts, domain)),
  };
}

/** Without what was encoded once too often; an empty text stands for none. */
export function textOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Undefined: there is no such type. */
function typeFilter(name: string): RowFilter | undefined {
  const upper = name.toUpperCase();
  if (upper === 'OTHER') return { otherThanTypes: [...typesByName.values()] };
  const number = typesByName.get(upper) ?? Number(typeNumber.exec(upper)?.[1] ?? Infinity);
  return number <= 65_535 ? { types: [number] } : undefined;
}

/** Null: there is no such name. */
function placeOf(names: readonly string[], name: string | undefined): readonly number[] | null | undefined {
  if (name === undefined) return undefined;
  const place = names.indexOf(name.toUpperCase());
  return place < 0 ? null : [place];
}
