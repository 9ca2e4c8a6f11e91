// The query log. Fields and parameters are those that existing clients know, the ones of DataTables among
// them; paging by key (`next` and `after`) and `truncated` are our own.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { queryDnssecNames, queryReplyNames, queryStatusNames } from '../query-names.ts';
import { Count, queryTypeNames } from './history-words.ts';
import { countUpTo } from './shared.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
function filter(description: string) {
  return Type.Optional(Type.String({ maxLength: limits.domainTextLength, description }));
}
const pattern = 'equal but for the case; `*` stands for any run of characters';

const LoggedQuery = Type.Object(
  {
    id: Type.Integer({ minimum: 0 }),
    time: Type.Number({ description: 'Unix time in seconds, with fractions' }),
    type: Type.String({ description: 'The query type; `TYPE` and a number for seldom ones' }),
    status: Type.Enum([...queryStatusNames]),
    dnssec: Type.Enum([...queryDnssecNames]),
    domain: Type.String({ description: '`hidden` when the privacy level hides it' }),
    upstream: Type.Union([Type.String(), Type.Null()], { description: '`address#port`' }),
    reply: Type.Object({
      type: Type.Enum([...queryReplyNames]),
      time: Type.Number({ minimum: 0, description: 'Seconds until the answer; 0 when it is not known' }),
    }),
    client: Type.Object({
      ip: Type.String({ description: '`0.0.0.0` when the privacy level hides it' }),
      name: Text,
    }),
    list_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Positive: a rule of your own, by id; negative: a list, -(id + 2)',
    }),
    ede: Type.Object({
      code: Type.Integer({ minimum: -1, description: 'RFC 8914; -1: none' }),
      text: Text,
    }),
    cname: Type.Union([Type.String(), Type.Null()], {
      description: 'The name behind an alias that was blocked',
    }),
  },
  { title: 'LoggedQuery' },
);

/** What narrows the log. */
const filters = {
  from: Type.Optional(Type.Number({ description: 'Unix time in seconds' })),
  until: Type.Optional(Type.Number({ description: 'Unix time in seconds, not itself part of it' })),
  domain: filter(pattern),
  client_ip: filter(pattern),
  client_name: filter(pattern),
  upstream: filter('`address#port`, or `blocklist`, `cache`, `permitted`; `*` as elsewhere'),
  type: filter('A query type, or `OTHER`'),
  status: filter('A status'),
  reply: filter('A kind of reply'),
  dnssec: filter('A DNSSEC state'),
};

/** A table of DataTables has so many columns at the most. */
const columnsMax = 16;
const dataTables = {
  draw: Type.Optional(Type.Integer({ description: 'Comes back as it is' })),
  'order[0][column]': Type.Optional(
    Type.Integer({ minimum: 0, maximum: columnsMax - 1, description: 'Sort by this column' }),
  ),
  'order[0][dir]': filter('`asc` or `desc`'),
  'columns[3][search][value]': filter('Part of a domain, when column 3 is `domain`'),
  'columns[4][search][value]': filter('Part of an address or a name, when column 4 is `client`'),
};

const columnNames = Object.fromEntries(
  Array.from({ length: columnsMax }, (_, at) => [
    `columns[${at}][data]`,
    filter('What this column of DataTables shows'),
  ]),
);

const example = {
  queries: [
    {
      id: 12,
      time: 1794700000.123,
      type: 'A',
      status: 'FORWARDED',
      dnssec: 'UNKNOWN',
      domain: 'example.org',
      upstream: '192.0.2.1#53',
      reply: { type: 'IP', time: 0.0123 },
      client: { ip: '192.168.1.5', name: 'tablet.lan' },
      list_id: null,
      ede: { code: -1, text: null },
      cname: null,
    },
  ],
  cursor: 12,
  recordsTotal: 12,
  recordsFiltered: 1,
  draw: 0,
  next: null,
  truncated: false,
};

const common = { method: 'GET', topic: 'queries', access: 'session' } as const;

export const queryEndpoints = {
  getQueries: endpoint({
    ...common,
    path: '/api/queries',
    summary: 'List queries, the newest first',
    description:
      'Filters are combined: all of them must fit. There are two ways to page. By number: remember ' +
      '`cursor` of the first page and send it along with `start`. By key, which is as quick on the ' +
      'thousandth page as on the first: send `next` of one page as `after` for the following one, ' +
      'until it is null. With one filter at the most `recordsFiltered` is exact; with several it is ' +
      'null when counting would take too long, and `truncated` is true, as it is when the time was ' +
      'over before the page was full. `disk` makes no difference: there is one log. ' +
      `An order other than the newest first sorts the newest ${limits.queriesPerPage} queries that fit.`,
    query: Type.Object({
      ...filters,
      length: Type.Optional(
        Type.Integer({
          maximum: limits.queriesPerPage,
          default: 100,
          description: 'Queries on a page; below 0: as many as there may be',
        }),
      ),
      start: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.queriesSkipped,
          default: 0,
          description: 'Queries to skip',
        }),
      ),
      cursor: filter('Only queries up to this id, so that pages stay where they are'),
      after: Type.Optional(
        Type.Integer({ minimum: 0, description: '`next` of the page before: only older queries' }),
      ),
      disk: Type.Optional(Type.Boolean({ default: false })),
      ...dataTables,
      ...columnNames,
    }),
    replies: {
      200: {
        description: 'One page',
        body: Type.Object({
          queries: Type.Array(LoggedQuery),
          cursor: Type.Union([Type.Integer(), Type.Null()], {
            description: 'As it was given; the newest id without',
          }),
          recordsTotal: Count,
          recordsFiltered: Type.Union([Count, Type.Null()]),
          draw: Type.Integer(),
          next: Type.Union([Type.Integer(), Type.Null()], {
            description: 'For `after` of the next page; null: there are no more',
          }),
          truncated: Type.Boolean(),
        }),
        example,
      },
    },
    errors: [
      'invalidCursor',
      'invalidQueryType',
      'invalidQueryStatus',
      'invalidQueryReply',
      'invalidQueryDnssec',
      'historyAway',
    ],
  }),
  exportQueries: endpoint({
    ...common,
    path: '/api/queries/export',
    summary: 'Get all queries that fit, as CSV or as lines of JSON',
    description:
      'The newest first, written as they are read: however many there are. As CSV (RFC 4180) the ' +
      'first line has the names of the columns; as JSON Lines each line is a query as in ' +
      '/api/queries. A reply that is cut off is not all.',
    query: Type.Object({
      ...filters,
      format: Type.Optional(
        Type.Enum(['csv', 'jsonl'], { default: 'csv', description: '`csv`, or `jsonl` for JSON Lines' }),
      ),
    }),
    replies: {
      200: {
        description: 'The queries',
        body: 'text/csv',
        otherTypes: ['application/x-ndjson'],
        isLive: true,
      },
    },
    errors: [
      'invalidQueryType',
      'invalidQueryStatus',
      'invalidQueryReply',
      'invalidQueryDnssec',
      'historyAway',
    ],
  }),
  getQuerySuggestions: endpoint({
    ...common,
    path: '/api/queries/suggestions',
    summary: 'List what the log could be narrowed by',
    description: 'Domains, clients and upstreams of the last 24 hours, the most frequent first.',
    query: Type.Object({
      count: countUpTo(limits.topEntries, { default: 30, description: 'At most so many' }),
    }),
    replies: {
      200: {
        description: 'Values for each filter',
        body: Type.Object({
          suggestions: Type.Object({
            domain: Type.Array(Type.String()),
            client_ip: Type.Array(Type.String()),
            client_name: Type.Array(Type.String()),
            upstream: Type.Array(Type.String()),
            type: Type.Array(Type.String()),
            status: Type.Array(Type.String()),
            reply: Type.Array(Type.String()),
            dnssec: Type.Array(Type.String()),
          }),
        }),
        example: {
          suggestions: {
            domain: ['example.org'],
            client_ip: ['192.168.1.5'],
            client_name: ['tablet.lan'],
            upstream: ['blocklist', 'cache', '192.0.2.1#53', 'permitted'],
            type: [...queryTypeNames],
            status: [...queryStatusNames],
            reply: [...queryReplyNames],
            dnssec: [...queryDnssecNames],
          },
        },
      },
    },
    errors: ['historyAway'],
  }),
} as const;
