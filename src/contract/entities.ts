// The table of entities: what people configure item by item. A row has what storage, handlers, events and
// commands must agree on. Each of them adds its own part: storage the columns, handlers the checks, commands
// the options. A new kind begins with a row here.

import { limits } from './limits.ts';

interface Entity {
  /** One item of the kind, in revisions, events and sentences. */
  readonly entity: string;
  readonly path: `/api/${string}`;
  /** The fields that identify an item, in the order of the path. */
  readonly key: readonly string[];
  /** The field of the key that people know the item by. */
  readonly name: string;
  /** The other fields that a user sets, with the values of a new item. */
  readonly fields: { readonly comment: null; readonly [field: string]: unknown };
  /** The error of an item whose key is already used; existing clients compare this text. */
  readonly taken: string;
  readonly maxItems: number;
}

const memberships = { groups: [0], group_expiry: {} } as const;

export const entities = {
  groups: {
    entity: 'group',
    path: '/api/groups',
    key: ['name'],
    name: 'name',
    fields: { comment: null, enabled: true, schedules: [], privacy: 0 },
    taken: 'UNIQUE constraint failed: group.name',
    maxItems: limits.entitiesPerCollection,
  },
  domains: {
    entity: 'domain',
    path: '/api/domains',
    key: ['type', 'kind', 'domain'],
    name: 'domain',
    fields: { comment: null, enabled: true, expires_at: null, ...memberships },
    taken: 'UNIQUE constraint failed: domainlist.domain, domainlist.type',
    maxItems: limits.entitiesPerCollection,
  },
  lists: {
    entity: 'list',
    path: '/api/lists',
    key: ['type', 'address'],
    name: 'address',
    fields: { comment: null, enabled: true, ...memberships },
    taken: 'UNIQUE constraint failed: adlist.address, adlist.type',
    maxItems: limits.lists,
  },
  clients: {
    entity: 'client',
    path: '/api/clients',
    key: ['client'],
    name: 'client',
    fields: { comment: null, ...memberships },
    taken: 'UNIQUE constraint failed: client.ip',
    maxItems: limits.clients,
  },
} as const satisfies Record<string, Entity>;

export type EntityName = (typeof entities)[keyof typeof entities]['entity'];

/** The fields that may have the name of an item; each kind has one of them. */
export const nameFields: readonly string[] = Object.values(entities).map(({ name }) => name);
