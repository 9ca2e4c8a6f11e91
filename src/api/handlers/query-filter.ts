// Builds a filter from the parameters of the query log: names become numbers, and an unknown name is refused
// with the error of its parameter. Texts may be URL-encoded twice, because some clients do that.

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
/** The parameters that the log and its export have in common. */
type FilterQuery = Request<'exportQueries'>['query'];
type FilterFailure = Failure<
  'invalidQueryType' | 'invalidQueryStatus' | 'invalidQueryReply' | 'invalidQueryDnssec'
>;

const typesByName = new Map<string, number>(Object.entries(queryTypes));
const typeNumber = /^TYPE(\d{1,5})$/u;

/** The filter for the history; searches of DataTables are separate. */
export function filterOf(parts: HistoryParts, query: FilterQuery): RowFilter | FilterFailure {
  const wanted = textsOf(query);
  const types = wanted.type === undefined ? {} : typeFilter(wanted.type);
  if (types === undefined) return fail('invalidQueryType', wanted.type);
  const statuses = indexFilter(queryStatusNames, wanted.status);
  if (statuses === null) return fail('invalidQueryStatus', wanted.status);
  const replies = indexFilter(queryReplyNames, wanted.reply);
  if (replies === null) return fail('invalidQueryReply', wanted.reply);
  const dnssec = indexFilter(queryDnssecNames, wanted.dnssec);
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

/** Decodes a text that was encoded twice; an empty text means none. */
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
function indexFilter(
  names: readonly string[],
  name: string | undefined,
): readonly number[] | null | undefined {
  if (name === undefined) return undefined;
  const index = names.indexOf(name.toUpperCase());
  return index < 0 ? null : [index];
}
