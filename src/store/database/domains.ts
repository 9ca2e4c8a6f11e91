// Domains in the database, with the groups they belong to. As with groups, each function writes inside a
// change and records what it did, and a key that is already used is a return value.

import type { ChangeScope } from './change.ts';
import {
  membershipFields,
  membershipsOf,
  presentGroups,
  writeMemberships,
  type MembershipFields,
  type Membership,
} from './memberships.ts';
import type { DomainRow } from './schema.ts';

export type DomainType = 'allow' | 'deny';
export type DomainKind = 'exact' | 'regex';

export interface DomainFields extends MembershipFields {
  readonly comment: string | null;
  readonly enabled: boolean;
  /** Unix seconds. */
  readonly expires_at: number | null;
}

export interface DomainKey {
  readonly domain: string;
  readonly type: DomainType;
  readonly kind: DomainKind;
}

export interface StoredDomain extends DomainKey, DomainFields {
  readonly id: number;
  readonly date_added: number;
  readonly date_modified: number;
}

export const domainFromRow = (row: DomainRow, memberships: readonly Membership[]): StoredDomain => ({
  domain: row.domain,
  // The table's check constraint allows these alone.
  type: row.type as DomainType,
  // The table's check constraint allows these alone.
  kind: row.kind as DomainKind,
  comment: row.comment,
  groups: membershipFields(memberships).groups,
  enabled: row.enabled === 1,
  id: row.id,
  date_added: row.date_added,
  date_modified: row.date_modified,
  expires_at: row.expires_at,
  group_expiry: membershipFields(memberships).group_expiry,
});

export const domainKey = ({ type, kind, domain }: DomainKey): string => `${type}/${kind}/${domain}`;

export async function domainById(
  { db }: Pick<ChangeScope, 'db'>,
  id: number,
): Promise<StoredDomain | undefined> {
  const row = await db.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : domainFromRow(row, await membershipsOf(db, 'domain_groups', row.id));
}

export async function findDomain(
  { db }: Pick<ChangeScope, 'db'>,
  key: DomainKey,
): Promise<StoredDomain | undefined> {
  const row = await db
    .selectFrom('domains')
    .selectAll()
    .where('domain', '=', key.domain)
    .where('type', '=', key.type)
    .where('kind', '=', key.kind)
    .executeTakeFirst();
  return row === undefined ? undefined : domainFromRow(row, await membershipsOf(db, 'domain_groups', row.id));
}

/** Returns the new entry; undefined when it exists already. */
export async function insertDomain(
  scope: ChangeScope,
  key: DomainKey,
  fields: DomainFields,
): Promise<StoredDomain | undefined> {
  const seconds = Math.floor(scope.nowMs / 1000);
  const row = await scope.db
    .insertInto('domains')
    .values({ ...columns(key, fields), date_added: seconds, date_modified: seconds })
    .onConflict((conflict) => conflict.columns(['domain', 'type', 'kind']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const stored = domainFromRow(row, await writeMemberships(scope, 'domain_groups', row.id, fields));
  scope.record({ entity: 'domain', key: String(stored.id), before: null, after: stored });
  return stored;
}

/** Returns the new state of the entry; undefined when another entry has the new key. */
export async function updateDomain(
  scope: ChangeScope,
  before: StoredDomain,
  key: DomainKey,
  fields: DomainFields,
): Promise<StoredDomain | undefined> {
  const taken = await findDomain(scope, key);
  if (taken !== undefined && taken.id !== before.id) return undefined;
  const row = await scope.db
    .updateTable('domains')
    .set({ ...columns(key, fields), date_modified: Math.floor(scope.nowMs / 1000) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const stored = domainFromRow(row, await writeMemberships(scope, 'domain_groups', row.id, fields));
  scope.record({ entity: 'domain', key: String(stored.id), before, after: stored });
  return stored;
}

export async function deleteDomain(scope: ChangeScope, domain: StoredDomain): Promise<void> {
  await scope.db.deleteFrom('domains').where('id', '=', domain.id).execute();
  scope.record({ entity: 'domain', key: String(domain.id), before: domain, after: null });
}

const columns = ({ domain, type, kind }: DomainKey, { comment, enabled, expires_at }: DomainFields) => ({
  domain,
  type,
  kind,
  comment: comment === '' ? null : comment,
  enabled: enabled ? 1 : 0,
  expires_at,
});

/**
 * Restores a deleted entry with its old id; false when its key is used again. Groups that no longer exist are
 * left out.
 */
export async function restoreDomain(scope: ChangeScope, domain: StoredDomain): Promise<boolean> {
  if ((await findDomain(scope, domain)) !== undefined) return false;
  const { id, date_added, date_modified } = domain;
  await scope.db
    .insertInto('domains')
    .values({ id, ...columns(domain, domain), date_added, date_modified })
    .execute();
  const groups = await presentGroups(scope, domain.groups);
  await writeMemberships(scope, 'domain_groups', id, { ...domain, groups });
  const after = await domainById(scope, id);
  scope.record({ entity: 'domain', key: String(id), before: null, after: after ?? null });
  return true;
}
