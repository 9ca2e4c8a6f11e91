// Lists that are subscribed to: where they come from, whether they block or allow, for whom, and what their
// last update brought. Fields are those that existing clients know, and one of our own about expiry. One
// address may be a list of both types, so the type goes with every request that names one.

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
/** In place of user and password; with it an address may be longer than it was sent. */
const maskLength = 8;
const ShownAddress = Type.String({
  minLength: 1,
  maxLength: limits.listAddressLength + maskLength,
  description: 'URL; user and password in it are shown as `********`, and such an address names the list',
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
        'The rights that it was added with, which say what it may reach: `limited` (by an application ' +
        'password without sudo) public addresses; `sudo` private ones too, and loopback, link-local and ' +
        'own ones when lists.allowLocal is on; `earlier` (from before rights were recorded) as `sudo`',
    }),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    date_updated: Type.Integer({
      description: 'Unix time in seconds at which its content changed last; 0 for never',
    }),
    number: Type.Integer({ description: 'Valid entries' }),
    invalid_domains: Type.Integer({ description: 'Entries that were rejected' }),
    abp_entries: Type.Integer({ description: 'Entries in the syntax of adblockers' }),
    status: Type.Integer({
      minimum: 0,
      maximum: 4,
      description:
        '0 not processed yet, 1 downloaded, 2 unchanged, 3 unavailable and an older copy is used, ' +
        '4 unavailable and there is no copy',
    }),
    held: Type.Boolean({
      description: 'Whether its newest copy waits for a person to accept it, because it changed so much',
    }),
    group_expiry: GroupExpiry,
  },
  { title: 'List' },
);

const Copy = Type.Object(
  {
    version: Type.Integer({ description: 'Counts up with every copy of the list' }),
    date_fetched: UnixSeconds,
    bytes: Type.Integer({ description: 'Of the text' }),
    stored_bytes: Type.Integer({ description: 'On the disk, compressed' }),
    lines: Type.Integer({ description: 'Of the text, comments included' }),
    number: Type.Integer({ description: 'Valid entries' }),
    duplicates: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Entries that the list has more than once; null for a copy that is not in force',
    }),
    skipped: Type.Integer({ description: 'Lines that mean something to browsers, not to DNS' }),
    invalid_domains: Type.Integer({ description: 'Entries that were rejected' }),
    abp_entries: Type.Integer({ description: 'Entries in the syntax of adblockers' }),
    samples: Type.Array(Type.Object({ line: Type.Integer(), text: Type.String(), reason: Type.String() }), {
      description:
        'Some of the rejected and of the skipped lines, with their numbers and the reason; none of a list ' +
        'in a file',
    }),
    in_force: Type.Boolean({ description: 'Whether queries are answered by it' }),
  },
  { title: 'ListCopy' },
);

const Held = Type.Object(
  {
    before: Type.Integer({ description: 'Entries in force' }),
    after: Type.Integer({ description: 'Entries of the newest copy' }),
    text: Type.String({ description: 'What happened and what to do, in words' }),
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
  description: 'Address of the list, as it is shown or with its password; or its id',
});
const One = Type.Object({ list: ListName });
const InForce = Type.Object({
  lists: Type.Array(List),
  names: Type.Integer({ description: 'Names that are in force, of all lists' }),
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
      'The reply has the last list made; `processed` tells what became of each address. Files of this ' +
      'machine need sudo.',
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
    summary: 'Get the list of one address, of one type or of both',
    params: One,
    query: MaybeOfType,
    replies: {
      200: {
        description: 'The list; several when both types have the address, or lists with other passwords',
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
      'Fields left out get their defaults, but groups stay as they are. An address with `********` for its ' +
      'password is the list that is there; with another password it is a duplicate: remove the list first.',
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
      '`held` is null, or tells that the newest copy has lost more than 30 % of over 1,000 entries, or has ' +
      'more than twice as many, and waits for a person to accept it.',
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
    summary: 'Go back to an earlier copy of a list, or forward again',
    description: 'Holds until a download brings a list that differs from the newest copy.',
    params: OneCopy,
    query: OfType,
    fieldErrors: { type: typed },
    replies: {
      200: { description: 'It is in force', body: InForce, example: { ...example, names: 118000 } },
    },
    errors: ['noListType', 'notFound', 'ambiguousList', 'listsNotCompiled'],
  }),
  acceptList: endpoint({
    ...common,
    method: 'POST',
    path: '/api/lists/{list}/copies:accept',
    summary: 'Accept the change of a list that is held',
    description: 'Holds for the copy that waits now; 404 when none does.',
    params: One,
    query: OfType,
    fieldErrors: { type: typed },
    replies: {
      200: { description: 'It is in force', body: InForce, example: { ...example, names: 118000 } },
    },
    errors: ['noListType', 'notFound', 'ambiguousList', 'listsNotCompiled'],
  }),
  batchDeleteLists: endpoint({
    ...common,
    method: 'POST',
    path: '/api/lists:batchDelete',
    summary: 'Remove several lists',
    description: 'The `type` in the query counts for items without one; with neither an item is not found.',
    query: MaybeOfType,
    ...removals({ item: ListName, type: Type.Optional(ListType) }),
    bodyExample: [{ item: address, type: 'block' }],
    errors: ['notFound', 'notRemoved', 'ambiguousList'],
  }),
} as const;
