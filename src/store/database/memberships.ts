// Which groups an entry is in, and until when: the same for domains, lists and clients, each with a table of
// its own, so that the database itself keeps memberships of what is gone from staying.

import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Changed, ChangeScope } from './change.ts';
import type { Tables } from './schema.ts';

export interface Membership {
  readonly group_id: number;
  /** Unix seconds. */
  readonly expires_at: number | null;
}

export interface MembershipFields {
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

export const membershipFields = (memberships: readonly Membership[]): MembershipFields => ({
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
export const allMemberships = (
  db: Kysely<Tables>,
  table: MembershipTable,
): Promise<ReadonlyMap<number, readonly Membership[]>> => membershipsIn(db, table, sql``);

const membershipsIn = async (
  db: Kysely<Tables>,
  table: MembershipTable,
  condition: RawBuilder<unknown>,
): Promise<ReadonlyMap<number, readonly Membership[]>> => {
  const { rows } = await sql<Membership & { readonly owner: number }>`
    select ${sql.ref(ownerColumns[table])} as owner, group_id, expires_at
    from ${sql.table(table)} ${condition} order by group_id`.execute(db);
  return Map.groupBy(rows, ({ owner }) => owner);
};

/** Replaces the memberships of an entry. */
export const writeMemberships = async (
  { db }: ChangeScope,
  table: MembershipTable,
  ownerId: number,
  { groups, group_expiry }: MembershipFields,
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

const namedAtOnce = 500;

/** Those of the groups that there are. */
export const presentGroups = async (
  { db }: Pick<ChangeScope, 'db'>,
  ids: readonly number[],
): Promise<number[]> => {
  if (ids.length === 0) return [];
  const all = db.selectFrom('groups').select('id');
  // A statement may name so many only.
  const rows = await (ids.length > namedAtOnce ? all : all.where('id', 'in', ids)).execute();
  const present = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => present.has(id));
};

/** Entries of one kind: what is needed to take a group out of all of them at once. */
export interface Members<R extends { readonly id: number }> {
  readonly entity: Changed['entity'];
  readonly table: MembershipTable;
  /** The table of the entries themselves. */
  readonly entries: keyof Tables;
  readonly fromRow: (
    row: R,
    memberships: readonly Membership[],
  ) => MembershipFields & { readonly id: number };
}

/**
 * Takes a group out of all entries of a kind, as its deletion does, and records it for each of them. By a few
 * statements for all: one by one it takes seconds when thousands are in the group.
 */
export const leaveGroup = async <R extends { readonly id: number }>(
  { db, nowMs, record }: ChangeScope,
  { entity, table, entries, fromRow }: Members<R>,
  groupId: number,
): Promise<void> => {
  const owner = sql.ref(ownerColumns[table]);
  const members = sql`select ${owner} from ${sql.table(table)} where group_id = ${groupId}`;
  const { rows } = await sql<R>`select * from ${sql.table(entries)} where id in (${members})`.execute(db);
  if (rows.length === 0) return;
  const memberships = await membershipsIn(db, table, sql`where ${owner} in (${members})`);
  const date_modified = Math.floor(nowMs / 1000);
  await sql`
    update ${sql.table(entries)} set date_modified = ${date_modified} where id in (${members})`.execute(db);
  await sql`delete from ${sql.table(table)} where group_id = ${groupId}`.execute(db);
  for (const [index, row] of rows.entries()) {
    // SQLite answers at once, so nothing here would ever wait: others get their turn now and then.
    if (index % rowsPerTurn === rowsPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
    const all = memberships.get(row.id) ?? [];
    const before = fromRow(row, all);
    const rest = all.filter(({ group_id }) => group_id !== groupId);
    const after = fromRow({ ...row, date_modified }, rest);
    record({ entity, key: String(row.id), before, after });
  }
};

const rowsPerTurn = 1000;
