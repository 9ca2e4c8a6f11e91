// Configured clients: how they are identified, and their groups. All other clients are in the default group.
// Existing clients of this API know the fields, except for a new one about expiry.

import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import {
  Comment,
  countUpTo,
  GroupExpiry,
  GroupIds,
  Patch,
  Processed,
  removals,
  UnixSeconds,
} from './shared.ts';

const ClientText = Type.String({
  minLength: 1,
  maxLength: limits.clientLength,
  description: 'An address, a range (CIDR), a MAC address, a host name or `:interface`',
});

const Client = Type.Object(
  {
    client: Type.String({ description: 'In its canonical form' }),
    name: Type.String({ description: 'Its known host name; empty for none' }),
    comment: Comment,
    groups: Type.Array(Type.Integer()),
    id: Type.Integer(),
    date_added: UnixSeconds,
    date_modified: UnixSeconds,
    group_expiry: GroupExpiry,
  },
  { title: 'Client' },
);

const fields = {
  comment: Type.Optional(Comment),
  groups: Type.Optional(GroupIds),
  group_expiry: Type.Optional(GroupExpiry),
};

const Clients = Type.Object({ clients: Type.Array(Client) });
const ClientsProcessed = Type.Object({ clients: Type.Array(Client), processed: Processed });
const One = Type.Object({ client: ClientText });

const Suggestion = Type.Object(
  {
    hwaddr: Type.Union([Type.String(), Type.Null()], {
      description: 'The MAC address; `ip-` and the address for a device with an unknown MAC address',
    }),
    macVendor: Type.Union([Type.String(), Type.Null()], { description: 'Not known: always null' }),
    lastQuery: UnixSeconds,
    addresses: Type.Union([Type.String(), Type.Null()], { description: 'Separated by commas' }),
    names: Type.Union([Type.String(), Type.Null()], {
      description: 'Host names, separated by commas; null while none is known',
    }),
  },
  { title: 'ClientSuggestion' },
);

const suggestion = {
  hwaddr: '02:42:ac:11:00:05',
  macVendor: null,
  lastQuery: 1794700000,
  addresses: '192.168.1.7,fd00::7',
  names: 'television.lan',
};

const tablet = {
  client: '192.168.1.5',
  name: '',
  comment: 'The tablet',
  groups: [0, 1],
  id: 1,
  date_added: 1794700000,
  date_modified: 1794700000,
  group_expiry: {},
};
const example = { clients: [tablet] };
const processed = { success: [{ item: tablet.client }], errors: [] };
const common = { topic: 'clients', access: 'session' } as const;
const stored = {
  200: { description: 'Stored', body: ClientsProcessed, example: { ...example, processed } },
} as const;
const refused = ['blanks', 'invalidClient', 'unknownGroup', 'collectionFull', 'duplicate'] as const;

export const clientEndpoints = {
  getClients: endpoint({
    ...common,
    method: 'GET',
    path: '/api/clients',
    summary: 'List all configured clients',
    replies: { 200: { description: 'The clients', body: Clients, example } },
    errors: ['collectionUnreadable'],
  }),
  createClients: endpoint({
    ...common,
    method: 'POST',
    path: '/api/clients',
    summary: 'Configure one client or several',
    description:
      'The reply has every client created, and Location and ETag of the last; `processed` has the result ' +
      'for each.',
    body: Type.Object({
      client: Type.Union([
        ClientText,
        Type.Array(ClientText, { minItems: 1, maxItems: limits.itemsPerRequest }),
      ]),
      ...fields,
    }),
    bodyExample: { client: '192.168.1.5', comment: 'The tablet', groups: [0, 1] },
    fieldErrors: { client: { missing: 'noClient', wrong: 'noClient' } },
    replies: { 201: { description: 'Added', body: ClientsProcessed, example: { ...example, processed } } },
    errors: ['noClient', ...refused],
  }),
  getClientSuggestions: endpoint({
    ...common,
    method: 'GET',
    path: '/api/clients/_suggestions',
    summary: 'List devices that sent queries and are not configured, the latest first',
    description:
      'A device counts as configured by its address, its MAC address or its host name, but not by a ' +
      'configured range or interface. Names that are not found within a moment are missing.',
    query: Type.Object({
      count: countUpTo(limits.suggestedClients, { default: 50, description: 'Maximum number of entries' }),
      ipv4_only: Type.Optional(Type.Boolean({ default: false, description: 'True: without IPv6 addresses' })),
    }),
    replies: {
      200: {
        description: 'The devices',
        body: Type.Object({ clients: Type.Array(Suggestion) }),
        example: { clients: [suggestion] },
      },
    },
    errors: ['collectionUnreadable'],
  }),
  getClient: endpoint({
    ...common,
    method: 'GET',
    path: '/api/clients/{client}',
    summary: 'Get one client',
    hasTag: true,
    params: One,
    replies: { 200: { description: 'The client, as the only element', body: Clients, example } },
    errors: ['notFound', 'collectionUnreadable'],
  }),
  putClient: endpoint({
    ...common,
    method: 'PUT',
    path: '/api/clients/{client}',
    summary: 'Create or replace a client',
    description: 'Omitted fields get their defaults, but groups stay unchanged.',
    params: One,
    body: Type.Object(fields),
    bodyExample: { comment: 'The tablet', groups: [0, 1] },
    replies: stored,
    errors: ['preconditionFailed', ...refused],
  }),
  patchClient: endpoint({
    ...common,
    method: 'PATCH',
    path: '/api/clients/{client}',
    summary: 'Change some fields of a client',
    params: One,
    body: Patch,
    bodyExample: { groups: [0] },
    replies: stored,
    errors: ['notFound', 'invalidPatch', 'unknownGroup', 'preconditionFailed'],
  }),
  deleteClient: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/clients/{client}',
    summary: 'Remove a client',
    params: One,
    replies: { 204: { description: 'Removed', body: null } },
    errors: ['notFound', 'preconditionFailed'],
  }),
  batchDeleteClients: endpoint({
    ...common,
    method: 'POST',
    path: '/api/clients:batchDelete',
    summary: 'Remove several clients',
    ...removals({ item: ClientText }),
    bodyExample: [{ item: '192.168.1.5' }],
    errors: ['notFound', 'notRemoved'],
  }),
} as const;
