// The orders and searches that tables of the DataTables library request. The history supports one order,
// newest first, and one pattern for each field: other requests are handled here, on one full page of the
// newest matching queries.

import { type QueriesQuery, textOf } from './query-filter.ts';
import type { QueryResult } from './query-row.ts';

type Value = string | number;

/** The sortable values, by the name of the column's data. */
const values: Readonly<Record<string, (query: QueryResult) => Value>> = {
  time: ({ id }) => id,
  domain: ({ domain }) => domain,
  client: ({ client }) => client.ip,
  'client.ip': ({ client }) => client.ip,
  'client.name': ({ client }) => client.name ?? '',
  upstream: ({ upstream }) => upstream ?? '',
  type: ({ type }) => type,
  status: ({ status }) => status,
  reply: ({ reply }) => reply.type,
  'reply.type': ({ reply }) => reply.type,
  'reply.time': ({ reply }) => reply.time,
  dnssec: ({ dnssec }) => dnssec,
  list_id: ({ list_id }) => list_id ?? 0,
  ede: ({ ede }) => ede.code,
};

export type Comparison = (a: QueryResult, b: QueryResult) => number;

/** Undefined: newest first, the order of the history. */
export function orderOf(query: QueriesQuery): Comparison | undefined {
  const column = query['order[0][column]'];
  const name = column === undefined ? undefined : columnName(query, column);
  const isUp = /^asc/iu.test(query['order[0][dir]'] ?? 'desc');
  const value = name === undefined || !Object.hasOwn(values, name) ? undefined : values[name];
  if (value === undefined || (name === 'time' && !isUp)) return undefined;
  const sign = isUp ? 1 : -1;
  return (a, b) => sign * compare(value(a), value(b)) || b.id - a.id;
}

function compare(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function columnName(query: QueriesQuery, column: number): string | undefined {
  const entry = Object.entries(query).find(([key]) => key === `columns[${column}][data]`);
  return typeof entry?.[1] === 'string' ? entry[1] : undefined;
}

export interface Searches {
  /** Part of a domain; `*` stands for any run of characters. */
  readonly domain: string | undefined;
  /** Part of an address or a name. */
  readonly client: string | undefined;
}

export function searchesOf(query: QueriesQuery): Searches {
  return {
    domain: columnName(query, 3) === 'domain' ? textOf(query['columns[3][search][value]']) : undefined,
    client: ['client', 'client.ip'].includes(columnName(query, 4) ?? '')
      ? textOf(query['columns[4][search][value]'])
      : undefined,
  };
}
