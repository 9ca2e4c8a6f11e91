// Subscribed lists: their address, whether they block or allow, their groups, and the result of their last
// update. Existing clients know the fields, except for a new one about expiry. One address may be a list of
// both types, so every request that names a list has the type.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { Comment, GroupExpiry, GroupIds, Patch, Processed, removals, UnixSeconds } from './shared.ts';

const ListType = Type.Enum(['allow', 'block'], { description: 'What its entries do' });
const Address = Type.String({
  minLength: 1,
  maxLength: limits.listAddressLength,
  description: 'URL: https, http or file',
});
/** The mask replaces user and password; a masked address may be longer than the original. */
const maskLength = 8;
const ShownAddress = Type.String({
  minLength: 1,
  maxLength: limits.listAddressLength + maskLength,
  description: 'URL; user and password are shown as `********`, and such an address identifies the list',
});

const List = Type.Object(
  {
    address: ShownAddress,
    type: ListType,
    comment: Comment,
    groups: Type.Array(Type.Integer()),
    enabled: Type.Boolean(),
    id: Type.Integer(),
    added_with: Type.Enum(['sudo', 'limited', 'earlier'], {
      description:
        'The rights of the credential that added it, which limit its servers: `limited` (an application ' +
        'password without sudo) public addresses; `sudo` also private ones, and loopback, link-local and ' +
        'own ones if lists.allowLocal is on; `earlier` (added before rights were recorded) like `sudo`',
    }),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    date_updated: Type.Integer({
      description: 'Unix time in seconds of the last change of its content; 0 for never',
    }),
    number: Type.Integer({ description: 'Valid entries' }),
    invalid_domains: Type.Integer({ description: 'Entries that were rejected' }),
    abp_entries: Type.Integer({ description: 'Entries in adblock syntax' }),
    status: Type.Integer({
      minimum: 0,
      maximum: 4,
      description:
        '0 not processed yet, 1 downloaded, 2 unchanged, 3 unavailable and an older copy is used, ' +
        '4 unavailable and there is no copy',
    }),
    held: Type.Boolean({
      description: 'Whether its newest copy waits to be accepted by a user, because it changed too much',
    }),
    group_expiry: GroupExpiry,
  },
  { title: 'List' },
);

const Copy = Type.Object(
  {
    version: Type.Integer({ description: 'Increases with every copy of the list' }),
    date_fetched: UnixSeconds,
    bytes: Type.Integer({ description: 'Of the text' }),
    stored_bytes: Type.Integer({ description: 'On the disk, compressed' }),
    lines: Type.Integer({ description: 'Of the text, including comments' }),
    number: Type.Integer({ description: 'Valid entries' }),
    duplicates: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Duplicate entries; null for a copy that is not in force',
    }),
    skipped: Type.Integer({ description: 'Lines for browsers that have no meaning in DNS' }),
    invalid_domains: Type.Integer({ description: 'Entries that were rejected' }),
    abp_entries: Type.Integer({ description: 'Entries in adblock syntax' }),
    samples: Type.Array(Type.Object({ line: Type.Integer(), text: Type.String(), reason: Type.String() }), {
      description:
        'Some of the rejected and skipped lines, with line numbers and reasons; empty for a list in a ' +
        'local file',
    }),
    in_force: Type.Boolean({ description: 'Whether it is used for answering queries' }),
  },
  { title: 'ListCopy' },
);

const Held = Type.Object(
  {
    before: Type.Integer({ description: 'Entries in force' }),
    after: Type.Integer({ description: 'Entries of the newest copy' }),
    text: Type.String({ description: 'What happened and what to do' }),
  },
  { title: 'HeldChange' },
);

const fields = {
  comment: Type.Optional(Comment),
  groups: Type.Optional(GroupIds),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  group_expiry: Type.Optional(GroupExpiry),
};

const Lists = Type.Object({ lists: Type.Array(List) });
const ListsProcessed = Type.Object({ lists: Type.Array(List), processed: Processed });
const ListName = Type.String({
  minLength: 1,
  maxLength: limits.listAddressLength + maskLength,
  description: 'Address of the list, masked or with its password; or its id',
});
const One = Type.Object({ list: ListName });
const InForce = Type.Object({
  lists: Type.Array(List),
  names: Type.Integer({ description: 'Names in force, of all lists' }),
});
const OneCopy = Type.Object({
  list: ListName,
  version: Type.Integer({ minimum: 1, description: 'Of the copy' }),
});
const OfType = Type.Object({ type: ListType });
const MaybeOfType = Type.Object({ type: Type.Optional(ListType) });

const address = 'https://lists.example.com/hosts.txt';
const hosts = {
  address,
  type: 'block',
  comment: null,
  groups: [0],
  enabled: true,
  id: 2,
  added_with: 'sudo',
  date_added: 1794700000,
  date_modified: 1794700000,
  date_updated: 1794700100,
  number: 118000,
  invalid_domains: 2,
  abp_entries: 0,
  status: 1,
  held: false,
  group_expiry: {},
};
const example = { lists: [hosts] };
const copy = {
  version: 12,
  date_fetched: 1794700100,
  bytes: 3_100_000,
  stored_bytes: 700_000,
  lines: 118500,
  number: 118000,
  duplicates: 12,
  skipped: 0,
  invalid_domains: 2,
  abp_entries: 0,
  samples: [{ line: 17, text: 'a..example', reason: 'not a domain: an empty label' }],
  in_force: true,
};
const processed = { success: [{ item: address }], errors: [] };
const common = { topic: 'lists', access: 'session' } as const;
const typed = { missing: 'noListType', wrong: 'invalidParameter' } as const;
const stored = {
  200: { description: 'Stored', body: ListsProcessed, example: { ...example, processed } },
} as const;

export const listEndpoints = {
  getLists: endpoint({
    ...common,
    method: 'GET',
    path: '/api/lists',
    summary: 'List all subscriptions, or those of one type',
    query: MaybeOfType,
    replies: { 200: { description: 'The lists', body: Lists, example } },
    errors: ['collectionUnreadable'],
  }),
  createLists: endpoint({
    ...common,
    method: 'POST',
    path: '/api/lists',
    summary: 'Subscribe to one list or several',
    description:
      'The reply has every list created, and Location and ETag of the last; `processed` has the result for ' +
      'each address. Files of this machine need sudo.',
    query: OfType,
    body: Type.Object({
      address: Type.Union([Address, Type.Array(Address, { minItems: 1, maxItems: limits.itemsPerRequest })]),
      ...fields,
    }),
    bodyExample: { address, comment: 'Advertising' },
    fieldErrors: { address: { missing: 'noAddress', wrong: 'noAddress' }, type: typed },
    replies: { 201: { description: 'Added', body: ListsProcessed, example: { ...example, processed } } },
    errors: [
      'noListType',
      'noAddress',
      'blanks',
      'invalidAddress',
      'unknownGroup',
      'duplicate',
      'collectionFull',
      'forbidden',
    ],
  }),
  getList: endpoint({
    ...common,
    method: 'GET',
    path: '/api/lists/{list}',
    summary: 'Get the list with an address, of one type or both',
    hasTag: true,
    params: One,
    query: MaybeOfType,
    replies: {
      200: {
        description: 'The list; several when both types or lists with other passwords have the address',
        body: Lists,
        example,
      },
    },
    errors: ['notFound', 'collectionUnreadable'],
  }),
  putList: endpoint({
    ...common,
    method: 'PUT',
    path: '/api/lists/{list}',
    summary: 'Create or replace a list',
    description:
      'Omitted fields get their defaults, but groups stay unchanged. An address with `********` as its ' +
      'password is the existing list; with another password it is a duplicate: remove the list first.',
    params: One,
    query: OfType,
    body: Type.Object(fields),
    bodyExample: { comment: 'Advertising', enabled: true },
    fieldErrors: { type: typed },
    replies: stored,
    errors: [
      'noListType',
      'blanks',
      'invalidAddress',
      'unknownGroup',
      'collectionFull',
      'preconditionFailed',
      'duplicate',
      'ambiguousList',
      'forbidden',
    ],
  }),
  patchList: endpoint({
    ...common,
    method: 'PATCH',
    path: '/api/lists/{list}',
    summary: 'Change some fields of a list',
    params: One,
    query: OfType,
    body: Patch,
    bodyExample: { enabled: false },
    fieldErrors: { type: typed },
    replies: stored,
    errors: ['noListType', 'notFound', 'invalidPatch', 'unknownGroup', 'preconditionFailed', 'ambiguousList'],
  }),
  deleteList: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/lists/{list}',
    summary: 'Remove a list',
    params: One,
    query: OfType,
    fieldErrors: { type: typed },
    replies: { 204: { description: 'Removed', body: null } },
    errors: ['noListType', 'notFound', 'preconditionFailed', 'ambiguousList'],
  }),
  getListCopies: endpoint({
    ...common,
    method: 'GET',
    path: '/api/lists/{list}/copies',
    summary: 'List the stored copies of a list, newest first',
    description:
      '`held` is null, unless the newest copy has lost more than 30 % of over 1,000 entries, or has more ' +
      'than twice as many, and waits to be accepted by a user.',
    params: One,
    query: OfType,
    fieldErrors: { type: typed },
    replies: {
      200: {
        description: 'The copies',
        body: Type.Object({ copies: Type.Array(Copy), held: Type.Union([Held, Type.Null()]) }),
        example: { copies: [copy], held: null },
      },
    },
    errors: ['noListType', 'notFound', 'ambiguousList'],
  }),
  useListCopy: endpoint({
    ...common,
    method: 'POST',
    path: '/api/lists/{list}/copies/{version}:use',
    summary: 'Use an earlier or later copy of a list',
    description: 'Valid until a download differs from the newest copy.',
    params: OneCopy,
    query: OfType,
    fieldErrors: { type: typed },
    replies: {
      200: { description: 'The copy is in force', body: InForce, example: { ...example, names: 118000 } },
    },
    errors: ['noListType', 'notFound', 'ambiguousList', 'listsNotCompiled'],
  }),
  acceptList: endpoint({
    ...common,
    method: 'POST',
    path: '/api/lists/{list}/copies:accept',
    summary: 'Accept the held copy of a list',
    description: 'Applies to the copy that waits now; 404 when there is none.',
    params: One,
    query: OfType,
    fieldErrors: { type: typed },
    replies: {
      200: { description: 'The copy is in force', body: InForce, example: { ...example, names: 118000 } },
    },
    errors: ['noListType', 'notFound', 'ambiguousList', 'listsNotCompiled'],
  }),
  batchDeleteLists: endpoint({
    ...common,
    method: 'POST',
    path: '/api/lists:batchDelete',
    summary: 'Remove several lists',
    description:
      'The `type` in the query string applies to items without one; without both an item is not found.',
    query: MaybeOfType,
    ...removals({ item: ListName, type: Type.Optional(ListType) }),
    bodyExample: [{ item: address, type: 'block' }],
    errors: ['notFound', 'notRemoved', 'ambiguousList'],
  }),
} as const;
