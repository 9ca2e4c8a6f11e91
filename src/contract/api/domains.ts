// Domains and regular expressions that the user allows or denies, for all or some groups, permanently or for
// a limited time. Existing clients know the fields, except for three new ones about expiry.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import {
  Comment,
  EndSeconds,
  GroupExpiry,
  groupIds,
  Patch,
  Processed,
  removals,
  UnixSeconds,
} from './shared.ts';

const listTypes = ['allow', 'deny'] as const;
const kinds = ['exact', 'regex'] as const;
const ListType = Type.Enum([...listTypes]);
const Kind = Type.Enum([...kinds]);
/** A batch delete ignores the case. */
function inAnyCase(words: readonly string[]) {
  const letters = (word: string): string =>
    word.replaceAll(/[a-z]/gu, (one) => `[${one}${one.toUpperCase()}]`);
  return Type.String({
    pattern: `^(?:${words.map(letters).join('|')})$`,
    description: `One of ${words.join(', ')}, in any case`,
  });
}
const ExpiresAt = Type.Union([EndSeconds, Type.Null()], {
  description: 'Unix time in seconds at which the entry expires; null for never',
});
const textLength = { minLength: 1, maxLength: limits.domainTextLength };
const DomainText = Type.String({
  ...textLength,
  description:
    'A name, or `*.name` for it and everything below, or a regular expression; then extensions: ' +
    '`;querytype=A,AAAA`, `;client=192.168.1.5,tablet`, `;reply=NXDOMAIN`, `;important`, and for ' +
    'expressions `;invert`',
});

const Domain = Type.Object(
  {
    domain: Type.String({
      description:
        'For exact the name, A-labels in lower case, with `*.` if it includes subdomains; for regex the text',
    }),
    unicode: Type.String({ description: 'For people' }),
    type: ListType,
    kind: Kind,
    comment: Comment,
    groups: Type.Array(Type.Integer()),
    enabled: Type.Boolean(),
    id: Type.Integer(),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    expires_at: ExpiresAt,
    group_expiry: GroupExpiry,
  },
  { title: 'Domain' },
);

const fields = {
  comment: Type.Optional(Comment),
  groups: Type.Optional(
    groupIds({
      description:
        'Ids of the groups whose clients it applies to; by default 0, but all groups for a rule that names ' +
        'clients (`;client=`). A PUT without it keeps the groups of an existing entry',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  expires_at: Type.Optional(ExpiresAt),
  group_expiry: Type.Optional(GroupExpiry),
};

const List = Type.Object({ type: ListType, kind: Kind });
const One = Type.Object({ type: ListType, kind: Kind, domain: DomainText });
const Domains = Type.Object({ domains: Type.Array(Domain) });
const DomainsProcessed = Type.Object({
  domains: Type.Array(Domain),
  processed: Type.Object({
    ...Processed.properties,
    warnings: Type.Optional(
      Type.Array(Type.Object({ item: Type.String(), warning: Type.String() }), {
        description: 'Warnings about stored entries, for example an expression that matches every name',
      }),
    ),
  }),
});

const ads = {
  domain: 'ads.example.com',
  unicode: 'ads.example.com',
  type: 'deny',
  kind: 'exact',
  comment: null,
  groups: [0],
  enabled: true,
  id: 1,
  date_added: 1794700000,
  date_modified: 1794700000,
  expires_at: null,
  group_expiry: {},
};
const example = { domains: [ads] };
const processed = { success: [{ item: 'ads.example.com' }], errors: [] };
const listed = { 200: { description: 'The domains', body: Domains, example } } as const;
const common = { topic: 'domains', access: 'session' } as const;
const written = [
  'invalidDomain',
  'invalidName',
  'blanks',
  'invalidRegex',
  'unknownGroup',
  'duplicate',
  'collectionFull',
] as const;

export const domainEndpoints = {
  getDomains: endpoint({
    ...common,
    method: 'GET',
    path: '/api/domains',
    summary: 'List all domains',
    replies: listed,
    errors: ['domainsUnreadable'],
  }),
  getDomainsOf: endpoint({
    ...common,
    method: 'GET',
    path: '/api/domains/{list}',
    summary: 'List the domains of one type or kind, or those of one name',
    params: Type.Object({
      list: Type.String({
        ...textLength,
        description:
          `A type or kind (${[...listTypes, ...kinds].join(', ')}); any other text is a domain, in all of ` +
          'these',
      }),
    }),
    replies: listed,
    errors: ['notFound', 'domainsUnreadable'],
  }),
  getDomainList: endpoint({
    ...common,
    method: 'GET',
    path: '/api/domains/{type}/{kind}',
    summary: 'List the domains of one type and kind, or those of one name in a type or kind',
    params: Type.Object({
      type: Type.Enum([...listTypes, ...kinds], { description: 'A type; or a kind before a domain' }),
      kind: Type.String({ ...textLength, description: 'A kind; any other text is a domain' }),
    }),
    replies: listed,
    errors: ['notFound', 'domainsUnreadable'],
  }),
  createDomains: endpoint({
    ...common,
    method: 'POST',
    path: '/api/domains/{type}/{kind}',
    summary: 'Add one domain or several',
    description:
      'The reply has every domain added, and Location and ETag of the last; `processed` has the result ' +
      'for each.' +
      ' One request allows a name for one device for an hour: POST /api/domains/allow/exact with ' +
      '`{"domain": "shop.example;client=192.168.1.5", "expires_at": …}`, an hour from now in Unix seconds. ' +
      'An entry that has expired may be added again.',
    params: List,
    body: Type.Object({
      domain: Type.Union([
        DomainText,
        Type.Array(DomainText, { minItems: 1, maxItems: limits.itemsPerRequest }),
      ]),
      ...fields,
    }),
    bodyExample: { domain: 'ads.example.com', comment: 'Annoying' },
    fieldErrors: { domain: { missing: 'noDomain', wrong: 'noDomain' } },
    replies: { 201: { description: 'Added', body: DomainsProcessed, example: { ...example, processed } } },
    errors: ['noDomain', ...written],
  }),
  getDomain: endpoint({
    ...common,
    method: 'GET',
    path: '/api/domains/{type}/{kind}/{domain}',
    summary: 'Get one domain',
    hasTag: true,
    params: One,
    replies: { 200: { description: 'The domain, as the only element', body: Domains, example } },
    errors: ['notFound', 'domainsUnreadable'],
  }),
  putDomain: endpoint({
    ...common,
    method: 'PUT',
    path: '/api/domains/{type}/{kind}/{domain}',
    summary: 'Create, replace or move a domain',
    description:
      'The path is the new place; `type` and `kind` in the body, both or neither, are the old one.',
    params: One,
    body: Type.Object({ ...fields, type: Type.Optional(ListType), kind: Type.Optional(Kind) }),
    bodyExample: { comment: 'Annoying', enabled: true },
    replies: { 200: { description: 'Stored', body: DomainsProcessed, example: { ...example, processed } } },
    errors: ['halfPlace', 'preconditionFailed', ...written],
  }),
  patchDomain: endpoint({
    ...common,
    method: 'PATCH',
    path: '/api/domains/{type}/{kind}/{domain}',
    summary: 'Change some fields of a domain',
    params: One,
    body: Patch,
    bodyExample: { enabled: false },
    replies: { 200: { description: 'Stored', body: DomainsProcessed, example: { ...example, processed } } },
    errors: ['notFound', 'invalidPatch', 'preconditionFailed', ...written],
  }),
  deleteDomain: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/domains/{type}/{kind}/{domain}',
    summary: 'Remove a domain',
    params: One,
    replies: { 204: { description: 'Removed', body: null } },
    errors: ['notFound', 'preconditionFailed'],
  }),
  batchDeleteDomains: endpoint({
    ...common,
    method: 'POST',
    path: '/api/domains:batchDelete',
    summary: 'Remove several domains',
    ...removals({ item: DomainText, type: inAnyCase(listTypes), kind: inAnyCase(kinds) }),
    bodyExample: [{ item: 'ads.example.com', type: 'deny', kind: 'exact' }],
    errors: ['notFound', 'notRemoved'],
  }),
} as const;
