// The query log. Existing clients know the fields and parameters, including those of DataTables; paging by
// key (`next` and `after`) and `truncated` are new.

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
const pattern = 'compared without case; `*` matches any run of characters';

const LoggedQuery = Type.Object(
  {
    id: Type.Integer({ minimum: 0 }),
    time: Type.Number({ description: 'Unix time in seconds, with fractions' }),
    type: Type.String({ description: 'The query type; `TYPE` and a number for rare ones' }),
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
      description: 'Positive: the id of one of your own rules; negative: a list, -(id + 2)',
    }),
    ede: Type.Object({
      code: Type.Integer({ minimum: -1, description: 'RFC 8914; -1: none' }),
      text: Text,
    }),
    cname: Type.Union([Type.String(), Type.Null()], {
      description: 'The blocked target of an alias',
    }),
  },
  { title: 'LoggedQuery' },
);

/** Filters of the log. */
const filters = {
  from: Type.Optional(Type.Number({ description: 'Unix time in seconds' })),
  until: Type.Optional(Type.Number({ description: 'Unix time in seconds, exclusive' })),
  domain: filter(pattern),
  client_ip: filter(pattern),
  client_name: filter(pattern),
  upstream: filter('`address#port`, or `blocklist`, `cache`, `permitted`; `*` as elsewhere'),
  type: filter('A query type, or `OTHER`'),
  status: filter('A status'),
  reply: filter('A kind of reply'),
  dnssec: filter('A DNSSEC state'),
};

const dataTables = {
  draw: Type.Optional(Type.Integer({ description: 'Returned unchanged' })),
  'order[0][column]': Type.Optional(
    Type.Integer({ minimum: 0, maximum: limits.queryColumns - 1, description: 'Sort by this column' }),
  ),
  'order[0][dir]': filter('`asc` or `desc`'),
  'columns[3][search][value]': filter('Part of a domain, when column 3 is `domain`'),
  'columns[4][search][value]': filter('Part of an address or a name, when column 4 is `client`'),
};

const columnNames = Object.fromEntries(
  Array.from({ length: limits.queryColumns }, (_, at) => [
    `columns[${at}][data]`,
    filter('The field in this column of DataTables'),
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
      'All filters must match. There are two ways to page. By number: keep `cursor` of the first page and ' +
      'send it with `start`. By key, which is as fast on the thousandth page as on the first: send `next` ' +
      'of one page as `after` of the following one, until it is null. With at most one filter ' +
      '`recordsFiltered` is exact; with several it is null if counting would take too long, and ' +
      '`truncated` is true, as it is when the time limit was reached before the page was full. `disk` has ' +
      'no effect: there is one log. ' +
      `An order other than newest first sorts the newest ${limits.queriesPerPage} matching queries.`,
    query: Type.Object({
      ...filters,
      length: Type.Optional(
        Type.Integer({
          maximum: limits.queriesPerPage,
          default: 100,
          description: 'Queries on a page; below 0: the maximum',
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
      cursor: filter('Only queries up to this id, so that pages do not shift'),
      after: Type.Optional(
        Type.Integer({ minimum: 0, description: '`next` of the previous page: only older queries' }),
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
            description: 'The given cursor; by default the newest id',
          }),
          recordsTotal: Count,
          recordsFiltered: Type.Union([Count, Type.Null()]),
          draw: Type.Integer(),
          next: Type.Union([Type.Integer(), Type.Null()], {
            description: '`after` of the next page; null: there are no more',
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
    summary: 'Get all matching queries, as CSV or JSON Lines',
    description:
      'The newest first, streamed without a limit. As CSV (RFC 4180) the first line has the names of the ' +
      'columns; as JSON Lines each line is a query as in /api/queries. A reply that is cut off is ' +
      'incomplete.',
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
    summary: 'List suggestions for the filters of the log',
    description: 'Domains, clients and upstreams of the last 24 hours, the most frequent first.',
    query: Type.Object({
      count: countUpTo(limits.topEntries, { default: 30, description: 'Maximum number of entries' }),
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
