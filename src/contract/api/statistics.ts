// Statistics of the last 24 hours, and of any time range. Existing clients know the fields, their names and
// their order; `truncated` and the filters by client, group, list and time are new.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { queryReplyNames, queryStatusNames } from '../query-names.ts';
import {
  Count,
  countsOf,
  longTermErrors,
  longTermFields,
  longTermTypeNames,
  queryTypeNames,
  scopeFields,
  Truncated,
  zerosOf,
} from './history-words.ts';
import { countUpTo, UnixSeconds } from './shared.ts';

const Percent = Type.Number({ minimum: 0, maximum: 100 });
const Types = countsOf(queryTypeNames);
/** -1 where the privacy level hides them. */
const Total = Type.Integer({ minimum: -1, description: '-1 when the privacy level hides it' });

const Summary = Type.Object({
  queries: Type.Object({
    total: Count,
    blocked: Count,
    percent_blocked: Percent,
    unique_domains: Count,
    forwarded: Count,
    cached: Count,
    frequency: Type.Number({ minimum: 0, description: 'Queries per second, mean of the last 30 s' }),
    types: Types,
    status: countsOf(queryStatusNames),
    replies: countsOf(queryReplyNames),
  }),
  clients: Type.Object({
    active: Type.Integer({ minimum: 0, description: 'Clients with queries in this time' }),
    total: Type.Integer({ minimum: 0, description: 'All known clients' }),
  }),
  gravity: Type.Object({
    domains_being_blocked: Type.Integer({ minimum: 0, description: 'Names of all lists in force' }),
    last_update: UnixSeconds,
  }),
  truncated: Truncated,
});

const Upstream = Type.Object(
  {
    ip: Type.String({ description: 'Its address; `blocklist` and `cache` stand for this service' }),
    name: Type.String({ description: 'Empty when it is not known' }),
    port: Type.Integer({ minimum: -1, maximum: 65_535, description: '-1 for `blocklist` and `cache`' }),
    count: Count,
    statistics: Type.Object({
      response: Type.Number({ minimum: 0, description: 'Mean time of an answer in seconds' }),
      variance: Type.Number({ minimum: 0, description: 'Uncertainty of that mean in seconds' }),
    }),
  },
  { title: 'UpstreamStatistics' },
);

const TopDomain = Type.Object({ domain: Type.String(), count: Count }, { title: 'TopDomain' });
const TopClient = Type.Object(
  { name: Type.String({ description: 'Empty when it is not known' }), ip: Type.String(), count: Count },
  { title: 'TopClient' },
);
const LongTermClient = Type.Object(
  { ip: Type.String(), name: Type.String({ description: 'Empty when it is not known' }), count: Count },
  { title: 'LongTermClient' },
);
const totals = { total_queries: Total, blocked_queries: Total, truncated: Truncated };
const totalsExample = { total_queries: 1000, blocked_queries: 200, truncated: false };

const topFields = {
  blocked: Type.Optional(Type.Boolean({ default: false, description: 'Rank by blocked queries' })),
  count: countUpTo(limits.topEntries, { default: 10, description: 'Maximum number of entries' }),
};

const ListStatistics = Type.Object(
  {
    id: Type.Integer({ description: 'The list' }),
    address: Type.Union([Type.String(), Type.Null()], { description: 'null if it was deleted since' }),
    type: Type.Union([Type.Enum(['allow', 'block']), Type.Null()]),
    hits: Type.Integer({ minimum: 0, description: 'Queries decided by it' }),
    blocked: Type.Integer({ minimum: 0, description: 'Blocked queries among them' }),
    matches: Type.Union([Count, Type.Null()], {
      description:
        'Queries for names with a rule in the current copy, whatever the client and the deciding rule; ' +
        'null for a list that is not in force, and when the time limit was reached',
    }),
    only: Type.Union([Count, Type.Null()], {
      description: 'Matches for which no other list has a rule: the queries for which it is needed',
    }),
    overridden: Type.Union([Count, Type.Null()], {
      description: 'Matches that an allowing rule, of a list or your own, allowed',
    }),
    overlaps: Type.Array(Type.Object({ id: Type.Integer({ description: 'Another list' }), count: Count }), {
      description: 'The 20 lists that also have rules for most of the matches, the largest first',
    }),
  },
  { title: 'ListStatistics' },
);

const upstream = {
  ip: '192.0.2.1',
  name: '',
  port: 53,
  count: 500,
  statistics: { response: 0.0123, variance: 0.0004 },
};
const own = { port: -1, statistics: { response: 0, variance: 0 } };
const domains = [{ domain: 'example.org', count: 100 }];
const clients = [{ name: 'tablet.lan', ip: '192.168.1.5', count: 100 }];
const common = {
  method: 'GET',
  topic: 'statistics',
  access: 'session',
  errors: ['unknownGroup', 'historyAway'],
} as const;
const longTerm = {
  ...common,
  errors: ['noTimeRange', 'unknownGroup', 'historyAway'],
  fieldErrors: longTermErrors,
} as const;

export const statisticsEndpoints = {
  getSummary: endpoint({
    ...common,
    path: '/api/stats/summary',
    summary: 'Get a summary of the last 24 hours',
    description: 'The last 24 hours are the current slot of 600 s and the 144 before it, as in /api/history.',
    query: Type.Object(scopeFields),
    replies: {
      200: {
        description: 'The numbers',
        body: Summary,
        example: {
          queries: {
            total: 1000,
            blocked: 200,
            percent_blocked: 20,
            unique_domains: 300,
            forwarded: 500,
            cached: 300,
            frequency: 0.5,
            types: { ...zerosOf(queryTypeNames), A: 1000 },
            status: { ...zerosOf(queryStatusNames), FORWARDED: 500, CACHE: 300, GRAVITY: 200 },
            replies: { ...zerosOf(queryReplyNames), IP: 1000 },
          },
          clients: { active: 5, total: 8 },
          gravity: { domains_being_blocked: 100_000, last_update: 1794700000 },
          truncated: false,
        },
      },
    },
  }),
  getQueryTypes: endpoint({
    ...common,
    path: '/api/stats/query_types',
    summary: 'Count queries by type',
    query: Type.Object(scopeFields),
    replies: {
      200: {
        description: 'The numbers',
        body: Type.Object({ types: Types, truncated: Truncated }),
        example: { types: { ...zerosOf(queryTypeNames), A: 1000 }, truncated: false },
      },
    },
  }),
  getUpstreams: endpoint({
    ...common,
    path: '/api/stats/upstreams',
    summary: 'Count queries by upstream, cache and blocklist',
    query: Type.Object(scopeFields),
    replies: {
      200: {
        description: '`blocklist` and `cache` first, then upstreams, the most used first',
        body: Type.Object({
          upstreams: Type.Array(Upstream),
          total_queries: Count,
          forwarded_queries: Count,
          truncated: Truncated,
        }),
        example: {
          upstreams: [
            { ip: 'blocklist', name: 'blocklist', count: 200, ...own },
            { ip: 'cache', name: 'cache', count: 300, ...own },
            upstream,
          ],
          total_queries: 1000,
          forwarded_queries: 500,
          truncated: false,
        },
      },
    },
  }),
  getTopDomains: endpoint({
    ...common,
    path: '/api/stats/top_domains',
    summary: 'Rank domains by how often they were permitted, or blocked',
    query: Type.Object({ ...topFields, ...scopeFields }),
    replies: {
      200: {
        description: 'The most frequent first',
        body: Type.Object({ domains: Type.Array(TopDomain), ...totals }),
        example: { domains, ...totalsExample },
      },
    },
  }),
  getTopClients: endpoint({
    ...common,
    path: '/api/stats/top_clients',
    summary: 'Rank clients by number of queries, or of blocked queries',
    query: Type.Object({ ...topFields, ...scopeFields }),
    replies: {
      200: {
        description: 'The busiest first',
        body: Type.Object({ clients: Type.Array(TopClient), ...totals }),
        example: { clients, ...totalsExample },
      },
    },
  }),
  getRecentBlocked: endpoint({
    ...common,
    path: '/api/stats/recent_blocked',
    summary: 'List the latest blocked domains',
    query: Type.Object({
      count: countUpTo(limits.topEntries, { default: 1, description: 'Maximum number of entries' }),
      ...scopeFields,
    }),
    replies: {
      200: {
        description: 'The newest first, with duplicates',
        body: Type.Object({ blocked: Type.Array(Type.String()), truncated: Truncated }),
        example: { blocked: ['ads.example.org'], truncated: false },
      },
    },
  }),
  getListStatistics: endpoint({
    ...common,
    path: '/api/stats/lists',
    summary: 'Count queries by the list that decided them, and by the lists that match',
    description:
      'Hits were recorded with the queries. Matches and the numbers derived from them are computed now, ' +
      'name by name, the most frequent first, with the current lists as if they applied to all clients.',
    query: Type.Object(scopeFields),
    replies: {
      200: {
        description: 'The most used first; lists that decided nothing last',
        body: Type.Object({ lists: Type.Array(ListStatistics), ...totals }),
        example: {
          lists: [
            {
              id: 1,
              address: 'https://lists.example/hosts',
              type: 'block',
              hits: 150,
              blocked: 150,
              matches: 170,
              only: 40,
              overridden: 20,
              overlaps: [{ id: 2, count: 130 }],
            },
          ],
          ...totalsExample,
        },
      },
    },
  }),
  getLongTermSummary: endpoint({
    ...longTerm,
    path: '/api/stats/database/summary',
    summary: 'Get a summary of a time range',
    query: Type.Object(longTermFields),
    replies: {
      200: {
        description: 'The numbers',
        body: Type.Object({
          sum_queries: Count,
          sum_blocked: Count,
          percent_blocked: Percent,
          total_clients: Count,
          truncated: Truncated,
        }),
        example: {
          sum_queries: 1000,
          sum_blocked: 200,
          percent_blocked: 20,
          total_clients: 5,
          truncated: false,
        },
      },
    },
  }),
  getLongTermQueryTypes: endpoint({
    ...longTerm,
    path: '/api/stats/database/query_types',
    summary: 'Count queries of a time range by type',
    query: Type.Object(longTermFields),
    replies: {
      200: {
        description: 'The numbers',
        body: Type.Object({ types: countsOf(longTermTypeNames), truncated: Truncated }),
        example: { types: { ...zerosOf(longTermTypeNames), A: 1000 }, truncated: false },
      },
    },
  }),
  getLongTermUpstreams: endpoint({
    ...longTerm,
    path: '/api/stats/database/upstreams',
    summary: 'Count queries of a time range by upstream, cache and blocklist',
    query: Type.Object(longTermFields),
    replies: {
      200: {
        description: 'Upstreams, the most used first, then `cache` and `blocklist`',
        body: Type.Object({
          upstreams: Type.Array(Upstream),
          forwarded_queries: Count,
          total_queries: Count,
          truncated: Truncated,
        }),
        example: {
          upstreams: [
            upstream,
            { ip: 'cache', name: 'cache', count: 300, ...own },
            { ip: 'blocklist', name: 'blocklist', count: 200, ...own },
          ],
          forwarded_queries: 500,
          total_queries: 1000,
          truncated: false,
        },
      },
    },
  }),
  getLongTermTopDomains: endpoint({
    ...longTerm,
    path: '/api/stats/database/top_domains',
    summary: 'Rank domains of a time range',
    query: Type.Object({ ...topFields, ...longTermFields }),
    replies: {
      200: {
        description: 'The most frequent first',
        body: Type.Object({ domains: Type.Array(TopDomain), ...totals }),
        example: { domains, ...totalsExample },
      },
    },
  }),
  getLongTermTopClients: endpoint({
    ...longTerm,
    path: '/api/stats/database/top_clients',
    summary: 'Rank clients of a time range',
    query: Type.Object({ ...topFields, ...longTermFields }),
    replies: {
      200: {
        description: 'The busiest first',
        body: Type.Object({ clients: Type.Array(LongTermClient), ...totals }),
        example: { clients: [{ ip: '192.168.1.5', name: 'tablet.lan', count: 100 }], ...totalsExample },
      },
    },
  }),
} as const;
