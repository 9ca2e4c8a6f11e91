// Configured clients in the database, with the groups they belong to. A client keeps its text: another text
// is another client.

import { entities } from '#contract';
import { entityTable } from './entity-table.ts';
import { membershipFields, type MembershipFields } from './memberships.ts';
import type { ClientRow } from './schema.ts';

interface ClientKey {
  /** In its canonical form: an address, a range, a MAC address, a host name or `:interface`. */
  readonly client: string;
}

export interface ClientFields extends MembershipFields {
  readonly comment: string | null;
}

export interface StoredClient extends ClientKey, ClientFields {
  readonly id: number;
  readonly date_added: number;
  readonly date_modified: number;
}

export const clientTable = entityTable<ClientRow, ClientKey, ClientFields, StoredClient>({
  ...entities.clients,
  table: 'clients',
  fixed: ['client'],
  columns: ['comment'],
  memberships: 'client_groups',
  fromRow: (row, memberships) => ({
    client: row.client,
    comment: row.comment,
    id: row.id,
    date_added: row.date_added,
    date_modified: row.date_modified,
    ...membershipFields(memberships),
  }),
});
