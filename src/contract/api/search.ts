// Searches for a name in all rules: the user's own and the copies of the lists, enabled or not. Existing
// clients know the fields, except for a new one that says when the time limit was reached before everything
// was searched.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { UnixSeconds } from './shared.ts';

const Comment = Type.Union([Type.String(), Type.Null()]);
const Groups = Type.Array(Type.Integer());

const FoundDomain = Type.Object(
  {
    domain: Type.String(),
    type: Type.Enum(['allow', 'deny']),
    kind: Type.Enum(['exact', 'regex']),
    comment: Comment,
    enabled: Type.Boolean(),
    id: Type.Integer(),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    groups: Groups,
  },
  { title: 'FoundDomain' },
);

const FoundEntry = Type.Object(
  {
    domain: Type.String({ description: 'The entry; `||x^` if it includes the subdomains of x' }),
    type: Type.Enum(['allow', 'block']),
    address: Type.String({ description: 'The list' }),
    comment: Comment,
    enabled: Type.Boolean(),
    id: Type.Integer({ description: 'Of the list' }),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    date_updated: Type.Integer(),
    number: Type.Integer(),
    invalid_domains: Type.Integer(),
    abp_entries: Type.Integer(),
    status: Type.Integer(),
    groups: Groups,
    line: Type.Integer({ description: 'Line in the copy of the list, from 1 on' }),
  },
  { title: 'FoundEntry' },
);

const ids = Type.Array(Type.Integer());
const patterns = Type.Array(Type.String());

const Search = Type.Object({
  domains: Type.Array(FoundDomain),
  gravity: Type.Array(FoundEntry),
  parameters: Type.Object({
    N: Type.Integer(),
    partial: Type.Boolean(),
    domain: Type.String(),
    debug: Type.Boolean(),
  }),
  results: Type.Object({
    domains: Type.Object({ exact: Type.Integer(), regex: Type.Integer() }),
    gravity: Type.Object({ allow: Type.Integer(), block: Type.Integer() }),
    total: Type.Integer(),
    truncated: Type.Boolean({
      description: 'The time limit was reached before all lists were searched: there may be more',
    }),
  }),
  debug: Type.Optional(
    Type.Object({
      domain: Type.String(),
      punycode: Type.String(),
      abp_pattern: Type.Object({ gravity: patterns, antigravity: patterns }),
      regex_ids: Type.Object({ deny: ids, allow: ids }),
    }),
  ),
});

const example = {
  search: {
    domains: [],
    gravity: [],
    parameters: { N: 20, partial: false, domain: 'ads.example.org', debug: false },
    results: { domains: { exact: 0, regex: 0 }, gravity: { allow: 0, block: 0 }, total: 0, truncated: false },
  },
};

const options = {
  partial: Type.Optional(Type.Boolean({ default: false })),
  N: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 20,
      description: `Maximum number of entries of each kind, up to ${limits.searchHits}`,
    }),
  ),
  debug: Type.Optional(Type.Boolean({ default: false })),
};
const Domain = Type.String({ maxLength: limits.domainTextLength });
const common = {
  method: 'GET',
  topic: 'domains',
  access: 'session',
  replies: { 200: { description: 'What was found', body: Type.Object({ search: Search }), example } },
  errors: ['noSearchTerm', 'tooManyResults', 'invalidName', 'domainsUnreadable', 'collectionUnreadable'],
} as const;

export const searchEndpoints = {
  search: endpoint({
    ...common,
    path: '/api/search/{domain...}',
    summary: 'Search for a name in own rules and in the copies of lists',
    description:
      'Finds the rules for the name: equal ones, those for a parent domain and its subdomains, and all of ' +
      'your regular expressions that match; with `partial`, all rules that contain the text. Disabled ' +
      'entries are found too. N does not limit the numbers of hits. It takes at most two seconds.',
    params: Type.Object({ domain: Domain }),
    query: Type.Object(options),
  }),
  searchByQuery: endpoint({
    ...common,
    path: '/api/search',
    summary: 'Search for a name in the query string',
    query: Type.Object({ domain: Type.Optional(Domain), ...options }),
  }),
} as const;
