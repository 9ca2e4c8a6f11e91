// Simulates other rules or lists: the current and the changed policy are both applied to the queries in the
// history.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { Count, Truncated } from './history-words.ts';
import { GroupIds, groupIds } from './shared.ts';

const RuleFields = {
  domain: Type.String({
    minLength: 1,
    maxLength: limits.domainTextLength,
    description: 'As in /api/domains: a name, `*.name` or a regular expression, with its extensions',
  }),
  type: Type.Enum(['allow', 'deny']),
  kind: Type.Enum(['exact', 'regex']),
};
const ListFields = {
  id: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2 ** 31, description: 'The id of a subscribed list' }),
  ),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.listAddressLength,
      description: 'Instead of the id; a list that is not subscribed is fetched',
    }),
  ),
  type: Type.Optional(
    Type.Enum(['allow', 'block'], {
      description: 'With the address; by default `block` for a list to add, both for a list to remove',
    }),
  ),
};
const groups = Type.Optional(GroupIds);
const ruleGroups = Type.Optional(groupIds({ description: 'By default as in /api/domains' }));
const some = { maxItems: limits.itemsPerRequest };
const few = { maxItems: limits.simulatedLists };

const Body = Type.Object({
  rules: Type.Optional(
    Type.Object({
      add: Type.Optional(Type.Array(Type.Object({ ...RuleFields, groups: ruleGroups }), some)),
      remove: Type.Optional(Type.Array(Type.Object(RuleFields), some)),
    }),
  ),
  lists: Type.Optional(
    Type.Object({
      add: Type.Optional(Type.Array(Type.Object({ ...ListFields, groups }), few)),
      remove: Type.Optional(Type.Array(Type.Object(ListFields), some)),
    }),
  ),
  from: Type.Optional(
    Type.Number({ minimum: 1, description: 'Unix time in seconds; by default the last 24 hours' }),
  ),
  until: Type.Optional(Type.Number({ minimum: 1, description: 'Unix time in seconds, exclusive' })),
  count: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.topEntries,
      default: 10,
      description: 'Entries of each ranking',
    }),
  ),
});

const Difference = Type.Object(
  {
    queries: Count,
    domains: Type.Integer({ minimum: 0, description: 'Number of distinct ones' }),
    clients: Type.Integer({ minimum: 0, description: 'Number of distinct ones' }),
    top_domains: Type.Array(
      Type.Object({
        domain: Type.String(),
        count: Count,
        by: Type.String({ description: 'The list (its comment or its address) or the rule that blocks it' }),
      }),
    ),
    top_clients: Type.Array(Type.Object({ name: Type.String(), ip: Type.String(), count: Count })),
  },
  { title: 'SimulatedDifference' },
);

const nothing = { queries: 0, domains: 0, clients: 0, top_domains: [], top_clients: [] };

export const simulateEndpoints = {
  simulate: endpoint({
    method: 'POST',
    path: '/api/simulate',
    topic: 'statistics',
    access: 'session',
    summary: 'Simulate what other rules or lists would have blocked or allowed',
    description:
      'The current and the changed policy are applied to stored queries, whatever the original result was. ' +
      'Nothing is changed. Blocking counts as on, pauses as over, windows of schedules as open. Of the ' +
      'targets in answers only blocked ones are known. One simulation runs at a time; it processes ' +
      'queries for at most 10 s, the newest first.',
    body: Body,
    bodyExample: {
      rules: { add: [{ domain: '*.ads.example', type: 'deny', kind: 'exact' }] },
      lists: { remove: [{ id: 2 }] },
      from: 1794700000,
    },
    replies: {
      200: {
        description: 'The differences',
        body: Type.Object({
          queries: Type.Integer({ minimum: 0, description: 'Number of processed queries' }),
          hidden: Type.Integer({ minimum: 0, description: 'Queries whose name was not recorded' }),
          blocked_before: Type.Integer({ minimum: 0, description: 'By the current policy' }),
          blocked_after: Type.Integer({ minimum: 0, description: 'By the changed policy' }),
          blocked: Difference,
          freed: Difference,
          truncated: Truncated,
        }),
        example: {
          queries: 1000,
          hidden: 0,
          blocked_before: 200,
          blocked_after: 212,
          blocked: {
            queries: 12,
            domains: 1,
            clients: 1,
            top_domains: [{ domain: 'a.ads.example', count: 12, by: '*.ads.example' }],
            top_clients: [{ name: 'tablet.lan', ip: '192.168.1.5', count: 12 }],
          },
          freed: nothing,
          truncated: false,
        },
      },
    },
    errors: [
      'noAddress',
      'invalidDomain',
      'invalidName',
      'blanks',
      'invalidAddress',
      'forbidden',
      'invalidRegex',
      'unknownGroup',
      'collectionFull',
      'notFound',
      'ambiguousList',
      'requestFailed',
      'domainsUnreadable',
      'collectionUnreadable',
      'historyAway',
    ],
  }),
} as const;
