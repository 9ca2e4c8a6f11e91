// Rows of any kind of entity in SQL, with the groups that their items belong to. Every write is recorded in
// its change.

import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { EntityName } from '#contract';
import type { ChangeScope } from './change.ts';
import {
  allMemberships,
  membershipsOf,
  writeMemberships,
  type Membership,
  type MembershipFields,
  type MembershipTable,
} from './memberships.ts';
import type { Tables } from './schema.ts';

/** Where the items of a kind are stored, and how they are read. */
export interface EntityRows<Row, Item> {
  /** Its name in revisions. */
  readonly entity: EntityName;
  readonly table: keyof Tables;
  /** The columns that identify an item. */
  readonly key: readonly string[];
  /** Undefined for a kind without groups. */
  readonly memberships?: MembershipTable;
  readonly fromRow: (row: Row, memberships: readonly Membership[]) => Item;
}

interface WithId {
  readonly id: number;
}

export type Values = Readonly<Record<string, unknown>>;

export async function loadItems<Row extends WithId, Item>(
  { table, memberships, fromRow }: EntityRows<Row, Item>,
  db: Kysely<Tables>,
): Promise<Item[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by id`.execute(db);
  const groups = memberships === undefined ? undefined : await allMemberships(db, memberships);
  return rows.map((row) => fromRow(row, groups?.get(row.id) ?? []));
}

export async function readItem<Row extends WithId, Item>(
  { table, memberships, fromRow }: EntityRows<Row, Item>,
  { db }: Pick<ChangeScope, 'db'>,
  wanted: Values,
): Promise<Item | undefined> {
  const condition = sql.join(assignments(wanted), sql` and `);
  const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${condition}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  return fromRow(row, memberships === undefined ? [] : await membershipsOf(db, memberships, row.id));
}

/** Undefined when an item has this key. */
export async function insertItem<Row extends WithId, Item>(
  rows: EntityRows<Row, Item>,
  scope: ChangeScope,
  values: Values,
  groups: Partial<MembershipFields>,
): Promise<Item | undefined> {
  const columns = Object.keys(values).map((name) => sql.ref(name));
  const written = await sql<Row>`
    insert into ${sql.table(rows.table)} (${sql.join(columns)}) values (${sql.join(Object.values(values))})
    on conflict (${sql.join(rows.key.map((name) => sql.ref(name)))}) do nothing
    returning *`.execute(scope.db);
  return recordWritten(rows, scope, null, written.rows[0], groups);
}

export async function updateItem<Row extends WithId, Item extends WithId>(
  rows: EntityRows<Row, Item>,
  scope: ChangeScope,
  before: Item,
  values: Values,
  groups: Partial<MembershipFields>,
): Promise<Item | undefined> {
  const written = await sql<Row>`
    update ${sql.table(rows.table)} set ${sql.join(assignments(values))}
    where id = ${before.id} returning *`.execute(scope.db);
  return recordWritten(rows, scope, before, written.rows[0], groups);
}

async function recordWritten<Row extends WithId, Item>(
  { entity, memberships, fromRow }: EntityRows<Row, Item>,
  scope: ChangeScope,
  before: Item | null,
  row: Row | undefined,
  { groups = [], group_expiry = {} }: Partial<MembershipFields>,
): Promise<Item | undefined> {
  if (row === undefined) return undefined;
  const all =
    memberships === undefined
      ? []
      : await writeMemberships(scope, memberships, row.id, { groups, group_expiry });
  const after = fromRow(row, all);
  scope.record({ entity, key: String(row.id), before, after });
  return after;
}

export async function deleteItem(
  { entity, table }: Pick<EntityRows<unknown, unknown>, 'entity' | 'table'>,
  { db, record }: ChangeScope,
  item: WithId,
): Promise<void> {
  await sql`delete from ${sql.table(table)} where id = ${item.id}`.execute(db);
  record({ entity, key: String(item.id), before: item, after: null });
}

/** `name = value` of each. */
function assignments(values: Values): RawBuilder<unknown>[] {
  return Object.entries(values).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
}
