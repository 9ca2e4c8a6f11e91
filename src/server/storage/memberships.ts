// Which groups an entry is in, and until when: the same for domains, lists and clients, each with a table of
// its own, so that the database itself keeps memberships of what is gone from staying.

import { sql, type Kysely } from 'kysely';
import type { ChangeScope } from './change.ts';
import type { Tables } from './schema.ts';

export interface Membership {
  readonly group_id: number;
  /** Unix seconds. */
  readonly expires_at: number | null;
}

export interface GroupFields {
  readonly groups: readonly number[];
  /** Group id to Unix seconds. */
  readonly group_expiry: Readonly<Record<string, number>>;
}

/** The tables, each with the column that says whose membership it is. */
const ownerColumns = {
  domain_groups: 'domain_id',
  list_groups: 'list_id',
  client_groups: 'client_id',
} as const;

export type MembershipTable = keyof typeof ownerColumns;

export const groupFields = (memberships: readonly Membership[]): GroupFields => ({
  groups: memberships.map(({ group_id }) => group_id),
  group_expiry: Object.fromEntries(
    memberships.flatMap(({ group_id, expires_at }) =>
      expires_at === null ? [] : [[String(group_id), expires_at]],
    ),
  ),
});

export const membershipsOf = async (
  db: Kysely<Tables>,
  table: MembershipTable,
  ownerId: number,
): Promise<readonly Membership[]> => {
  const owner = sql.ref(ownerColumns[table]);
  const { rows } = await sql<Membership>`
    select group_id, expires_at from ${sql.table(table)}
    where ${owner} = ${ownerId} order by group_id`.execute(db);
  return rows;
};

/** Those of all entries, by the id of the entry. */
export const allMemberships = async (
  db: Kysely<Tables>,
  table: MembershipTable,
): Promise<ReadonlyMap<number, readonly Membership[]>> => {
  const { rows } = await sql<Membership & { readonly owner: number }>`
    select ${sql.ref(ownerColumns[table])} as owner, group_id, expires_at
    from ${sql.table(table)} order by group_id`.execute(db);
  return Map.groupBy(rows, ({ owner }) => owner);
};

/** Replaces the memberships of an entry. */
export const writeMemberships = async (
  { db }: ChangeScope,
  table: MembershipTable,
  ownerId: number,
  { groups, group_expiry }: GroupFields,
): Promise<readonly Membership[]> => {
  const owner = sql.ref(ownerColumns[table]);
  await sql`delete from ${sql.table(table)} where ${owner} = ${ownerId}`.execute(db);
  const rows = [...new Set(groups)]
    .toSorted((a, b) => a - b)
    .map((group_id) => ({ group_id, expires_at: group_expiry[String(group_id)] ?? null }));
  if (rows.length === 0) return rows;
  const values = rows.map(({ group_id, expires_at }) => sql`(${ownerId}, ${group_id}, ${expires_at})`);
  await sql`
    insert into ${sql.table(table)} (${owner}, group_id, expires_at) values ${sql.join(values)}`.execute(db);
  return rows;
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

/** Those of the groups that there are. */
export const presentGroups = async (
  { db }: Pick<ChangeScope, 'db'>,
  ids: readonly number[],
): Promise<number[]> => {
  const present = new Set((await db.selectFrom('groups').select('id').execute()).map(({ id }) => id));
  return ids.filter((id) => present.has(id));
};

/** An entry that can be found and written with other groups. */
export interface Member<T extends GroupFields> {
  readonly table: MembershipTable;
  readonly find: (scope: ChangeScope, id: number) => Promise<T | undefined>;
  readonly update: (scope: ChangeScope, before: T, after: T) => Promise<unknown>;
}

/** Takes a group out of all entries of a table, as its deletion does, and so records it for each of them. */
export const leaveGroup = async <T extends GroupFields>(
  scope: ChangeScope,
  { table, find, update }: Member<T>,
  groupId: number,
): Promise<void> => {
  for (const [index, id] of (await membersOf(scope.db, table, groupId)).entries()) {
    // SQLite answers at once, so nothing here would ever wait: others get their turn now and then.
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    const before = await find(scope, id);
    if (before === undefined) continue;
    const groups = before.groups.filter((group) => group !== groupId);
    await update(scope, before, { ...before, groups });
  }
};

const membersOf = async (
  db: Kysely<Tables>,
  table: MembershipTable,
  groupId: number,
): Promise<readonly number[]> => {
  const { rows } = await sql<{ readonly owner: number }>`
    select ${sql.ref(ownerColumns[table])} as owner
    from ${sql.table(table)} where group_id = ${groupId}`.execute(db);
  return rows.map(({ owner }) => owner);
};
