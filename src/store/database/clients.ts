// Configured clients in the database, with the groups they belong to. As with groups, each function writes
// inside a change and records what it did, and a client that exists already is a return value.

import type { ChangeScope } from './change.ts';
import {
  membershipFields,
  membershipsOf,
  presentGroups,
  writeMemberships,
  type MembershipFields,
  type Membership,
} from './memberships.ts';
import type { ClientRow } from './schema.ts';

export interface ClientFields extends MembershipFields {
  readonly comment: string | null;
}

export interface StoredClient extends ClientFields {
  /** In its canonical form: an address, a range, a MAC address, a host name or `:interface`. */
  readonly client: string;
  readonly id: number;
  readonly date_added: number;
  readonly date_modified: number;
}

export const clientFromRow = (row: ClientRow, memberships: readonly Membership[]): StoredClient => ({
  client: row.client,
  comment: row.comment,
  id: row.id,
  date_added: row.date_added,
  date_modified: row.date_modified,
  ...membershipFields(memberships),
});

export async function clientById(
  { db }: Pick<ChangeScope, 'db'>,
  id: number,
): Promise<StoredClient | undefined> {
  const row = await db.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : clientFromRow(row, await membershipsOf(db, 'client_groups', row.id));
}

export async function findClient(
  { db }: Pick<ChangeScope, 'db'>,
  client: string,
): Promise<StoredClient | undefined> {
  const row = await db.selectFrom('clients').selectAll().where('client', '=', client).executeTakeFirst();
  return row === undefined ? undefined : clientFromRow(row, await membershipsOf(db, 'client_groups', row.id));
}

/** Returns the new client; undefined when it exists already. */
export async function insertClient(
  scope: ChangeScope,
  client: string,
  fields: ClientFields,
): Promise<StoredClient | undefined> {
  const seconds = Math.floor(scope.nowMs / 1000);
  const row = await scope.db
    .insertInto('clients')
    .values({ client, ...columns(fields), date_added: seconds, date_modified: seconds })
    .onConflict((conflict) => conflict.column('client').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const stored = clientFromRow(row, await writeMemberships(scope, 'client_groups', row.id, fields));
  scope.record({ entity: 'client', key: String(stored.id), before: null, after: stored });
  return stored;
}

export async function updateClient(
  scope: ChangeScope,
  before: StoredClient,
  fields: ClientFields,
): Promise<StoredClient> {
  const row = await scope.db
    .updateTable('clients')
    .set({ ...columns(fields), date_modified: Math.floor(scope.nowMs / 1000) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const stored = clientFromRow(row, await writeMemberships(scope, 'client_groups', row.id, fields));
  scope.record({ entity: 'client', key: String(stored.id), before, after: stored });
  return stored;
}

export async function deleteClient(scope: ChangeScope, client: StoredClient): Promise<void> {
  await scope.db.deleteFrom('clients').where('id', '=', client.id).execute();
  scope.record({ entity: 'client', key: String(client.id), before: client, after: null });
}

/** Restores a deleted client with its old id, without deleted groups; false when it exists again. */
export async function restoreClient(scope: ChangeScope, stored: StoredClient): Promise<boolean> {
  if ((await findClient(scope, stored.client)) !== undefined) return false;
  const { id, client, date_added, date_modified } = stored;
  await scope.db
    .insertInto('clients')
    .values({ id, client, ...columns(stored), date_added, date_modified })
    .execute();
  const groups = await presentGroups(scope, stored.groups);
  await writeMemberships(scope, 'client_groups', id, { ...stored, groups });
  const after = await clientById(scope, id);
  scope.record({ entity: 'client', key: String(id), before: null, after: after ?? null });
  return true;
}

const columns = ({ comment }: ClientFields) => ({ comment: comment === '' ? null : comment });
