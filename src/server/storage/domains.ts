// Domains in the database, with the groups they belong to. As with groups, each function writes inside a
// change and records what it did, and what is taken is a value.

import type { ChangeScope } from './change.ts';
import type { DomainRow } from './schema.ts';

export type DomainType = 'allow' | 'deny';
export type DomainKind = 'exact' | 'regex';

export interface DomainFields {
  readonly comment: string | null;
  readonly enabled: boolean;
  readonly groups: readonly number[];
  /** Unix seconds. */
  readonly expires_at: number | null;
  /** Group id to Unix seconds. */
  readonly group_expiry: Readonly<Record<string, number>>;
}

export interface DomainPlace {
  readonly domain: string;
  readonly type: DomainType;
  readonly kind: DomainKind;
}

export interface StoredDomain extends DomainPlace, DomainFields {
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
  groups: memberships.map(({ group_id }) => group_id),
  enabled: row.enabled === 1,
  id: row.id,
  date_added: row.date_added,
  date_modified: row.date_modified,
  expires_at: row.expires_at,
  group_expiry: Object.fromEntries(
    memberships.flatMap(({ group_id, expires_at }) =>
      expires_at === null ? [] : [[String(group_id), expires_at]],
    ),
  ),
});

export interface Membership {
  readonly group_id: number;
  readonly expires_at: number | null;
}

export const domainKey = ({ type, kind, domain }: DomainPlace): string => `${type}/${kind}/${domain}`;

export const domainById = async (
  { db }: Pick<ChangeScope, 'db'>,
  id: number,
): Promise<StoredDomain | undefined> => {
  const row = await db.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : domainFromRow(row, await membershipsOf(db, row.id));
};

export const findDomain = async (
  { db }: Pick<ChangeScope, 'db'>,
  place: DomainPlace,
): Promise<StoredDomain | undefined> => {
  const row = await db
    .selectFrom('domains')
    .selectAll()
    .where('domain', '=', place.domain)
    .where('type', '=', place.type)
    .where('kind', '=', place.kind)
    .executeTakeFirst();
  return row === undefined ? undefined : domainFromRow(row, await membershipsOf(db, row.id));
};

const membershipsOf = (db: ChangeScope['db'], domainId: number): Promise<Membership[]> =>
  db
    .selectFrom('domain_groups')
    .select(['group_id', 'expires_at'])
    .where('domain_id', '=', domainId)
    .orderBy('group_id')
    .execute();

/** The new entry; nothing when there is one already. */
export const insertDomain = async (
  scope: ChangeScope,
  place: DomainPlace,
  fields: DomainFields,
): Promise<StoredDomain | undefined> => {
  const seconds = Math.floor(scope.nowMs / 1000);
  const row = await scope.db
    .insertInto('domains')
    .values({ ...columns(place, fields), date_added: seconds, date_modified: seconds })
    .onConflict((conflict) => conflict.columns(['domain', 'type', 'kind']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const stored = domainFromRow(row, await writeMemberships(scope, row.id, fields));
  scope.record({ entity: 'domain', key: String(stored.id), before: null, after: stored });
  return stored;
};

/** The entry as it is now; nothing when its new place is taken by another. */
export const updateDomain = async (
  scope: ChangeScope,
  before: StoredDomain,
  place: DomainPlace,
  fields: DomainFields,
): Promise<StoredDomain | undefined> => {
  const taken = await findDomain(scope, place);
  if (taken !== undefined && taken.id !== before.id) return undefined;
  const row = await scope.db
    .updateTable('domains')
    .set({ ...columns(place, fields), date_modified: Math.floor(scope.nowMs / 1000) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const stored = domainFromRow(row, await writeMemberships(scope, row.id, fields));
  scope.record({ entity: 'domain', key: String(stored.id), before, after: stored });
  return stored;
};

export const deleteDomain = async (scope: ChangeScope, domain: StoredDomain): Promise<void> => {
  await scope.db.deleteFrom('domains').where('id', '=', domain.id).execute();
  scope.record({ entity: 'domain', key: String(domain.id), before: domain, after: null });
};

/** The first of the groups that there is not. */
export const missingGroup = async (
  { db }: Pick<ChangeScope, 'db'>,
  ids: readonly number[],
): Promise<number | undefined> => {
  for (const id of ids) {
    const found = await db.selectFrom('groups').select('id').where('id', '=', id).executeTakeFirst();
    if (found === undefined) return id;
  }
  return undefined;
};

const columns = ({ domain, type, kind }: DomainPlace, { comment, enabled, expires_at }: DomainFields) => ({
  domain,
  type,
  kind,
  comment: comment === '' ? null : comment,
  enabled: enabled ? 1 : 0,
  expires_at,
});

const writeMemberships = async (
  { db }: ChangeScope,
  domainId: number,
  { groups, group_expiry }: DomainFields,
): Promise<Membership[]> => {
  await db.deleteFrom('domain_groups').where('domain_id', '=', domainId).execute();
  const rows = [...new Set(groups)]
    .toSorted((a, b) => a - b)
    .map((group_id) => ({
      domain_id: domainId,
      group_id,
      expires_at: group_expiry[String(group_id)] ?? null,
    }));
  if (rows.length > 0) await db.insertInto('domain_groups').values(rows).execute();
  return rows;
};

/** Those of the groups that there are. */
export const presentGroups = async (
  { db }: Pick<ChangeScope, 'db'>,
  ids: readonly number[],
): Promise<number[]> => {
  const present = new Set((await db.selectFrom('groups').select('id').execute()).map(({ id }) => id));
  return ids.filter((id) => present.has(id));
};

/**
 * Puts a deleted entry back under its old id; false when its place is taken. Groups that are gone stay gone.
 */
export const restoreDomain = async (scope: ChangeScope, domain: StoredDomain): Promise<boolean> => {
  if ((await findDomain(scope, domain)) !== undefined) return false;
  const { id, date_added, date_modified } = domain;
  await scope.db
    .insertInto('domains')
    .values({ id, ...columns(domain, domain), date_added, date_modified })
    .execute();
  const groups = await presentGroups(scope, domain.groups);
  await writeMemberships(scope, id, { ...domain, groups });
  const after = await domainById(scope, id);
  scope.record({ entity: 'domain', key: String(id), before: null, after: after ?? null });
  return true;
};

/** Takes a group out of all entries, as its deletion does, and records it for each of them. */
export const leaveGroup = async (scope: ChangeScope, groupId: number): Promise<void> => {
  const members = await scope.db
    .selectFrom('domain_groups')
    .select('domain_id')
    .where('group_id', '=', groupId)
    .execute();
  for (const [index, { domain_id }] of members.entries()) {
    // SQLite answers at once, so nothing here would ever wait: others get their turn now and then.
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    const before = await domainById(scope, domain_id);
    if (before === undefined) continue;
    await updateDomain(scope, before, before, {
      ...before,
      groups: before.groups.filter((id) => id !== groupId),
    });
  }
};
