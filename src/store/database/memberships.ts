// Which groups an entry belongs to, and until when. Domains, lists and clients share this code, but each has
// its own table, so that foreign keys delete the memberships of a deleted entry.

import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { EntityName } from '#contract';
import type { ChangeScope } from './change.ts';
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

/** The tables, each with the column that names the owner of the membership. */
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

export async function membershipsOf(
  db: Kysely<Tables>,
  table: MembershipTable,
  ownerId: number,
): Promise<readonly Membership[]> {
  const owner = sql.ref(ownerColumns[table]);
  const { rows } = await sql<Membership>`
    select group_id, expires_at from ${sql.table(table)}
    where ${owner} = ${ownerId} order by group_id`.execute(db);
  return rows;
}

/** The memberships of all entries, by the id of the entry. */
export const allMemberships = (
  db: Kysely<Tables>,
  table: MembershipTable,
): Promise<ReadonlyMap<number, readonly Membership[]>> => membershipsIn(db, table, sql``);

async function membershipsIn(
  db: Kysely<Tables>,
  table: MembershipTable,
  condition: RawBuilder<unknown>,
): Promise<ReadonlyMap<number, readonly Membership[]>> {
  const { rows } = await sql<Membership & { readonly owner: number }>`
    select ${sql.ref(ownerColumns[table])} as owner, group_id, expires_at
    from ${sql.table(table)} ${condition} order by group_id`.execute(db);
  return Map.groupBy(rows, ({ owner }) => owner);
}

/** Replaces the memberships of an entry. */
export async function writeMemberships(
  { db }: ChangeScope,
  table: MembershipTable,
  ownerId: number,
  { groups, group_expiry }: MembershipFields,
): Promise<readonly Membership[]> {
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
}

/** The first of these groups that does not exist. */
export async function missingGroup(
  { db }: Pick<ChangeScope, 'db'>,
  ids: readonly number[],
): Promise<number | undefined> {
  for (const id of ids) {
    const found = await db.selectFrom('groups').select('id').where('id', '=', id).executeTakeFirst();
    if (found === undefined) return id;
  }
  return undefined;
}

/** SQLite limits the number of parameters of a statement. */
const idsPerStatement = 500;

/** Those of these groups that exist. */
export async function presentGroups(
  { db }: Pick<ChangeScope, 'db'>,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const all = db.selectFrom('groups').select('id');
  const rows = await (ids.length > idsPerStatement ? all : all.where('id', 'in', ids)).execute();
  const present = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => present.has(id));
}

/** What `leaveGroup` needs to know about one kind of entry. */
interface Members<Row, Item> {
  readonly entity: EntityName;
  readonly table: keyof Tables;
  readonly memberships: MembershipTable;
  readonly fromRow: (row: Row, memberships: readonly Membership[]) => Item;
}

/**
 * Removes all entries of a kind from a group that is being deleted, and records the change of each entry. It
 * uses a few statements for all entries: one by one, thousands of entries would take seconds.
 */
export async function leaveGroup<Row extends { readonly id: number }, Item>(
  { db, nowMs, record }: ChangeScope,
  { entity, table, memberships, fromRow }: Members<Row, Item>,
  groupId: number,
): Promise<void> {
  const owner = sql.ref(ownerColumns[memberships]);
  const members = sql`select ${owner} from ${sql.table(memberships)} where group_id = ${groupId}`;
  const { rows } = await sql<Row>`select * from ${sql.table(table)} where id in (${members})`.execute(db);
  if (rows.length === 0) return;
  const groupsOf = await membershipsIn(db, memberships, sql`where ${owner} in (${members})`);
  const date_modified = Math.floor(nowMs / 1000);
  await sql`
    update ${sql.table(table)} set date_modified = ${date_modified} where id in (${members})`.execute(db);
  await sql`delete from ${sql.table(memberships)} where group_id = ${groupId}`.execute(db);
  for (const [index, row] of rows.entries()) {
    // SQLite answers synchronously, so this loop would block the thread: yield to other tasks regularly.
    if (index % rowsPerTurn === rowsPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
    const all = groupsOf.get(row.id) ?? [];
    const before = fromRow(row, all);
    const rest = all.filter(({ group_id }) => group_id !== groupId);
    const after = fromRow({ ...row, date_modified }, rest);
    record({ entity, key: String(row.id), before, after });
  }
}

const rowsPerTurn = 1000;
