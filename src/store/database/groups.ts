// Groups in the database. Each function writes inside a change and records what it did; a name that is taken
// is a value, found by the table's own constraint.

import type { ClientRow, DomainRow, GroupRow, ListRow } from './schema.ts';
import type { ChangeScope } from './change.ts';
import { clientFromRow } from './clients.ts';
import { domainFromRow } from './domains.ts';
import { listFromRow } from './lists.ts';
import { leaveGroup, type Members } from './memberships.ts';
import { deletePause, findPause } from './pauses.ts';
import type { Schedule } from '../schedule.ts';

export interface Group {
  readonly id: number;
  readonly name: string;
  readonly comment: string | null;
  readonly enabled: boolean;
  readonly date_added: number;
  readonly date_modified: number;
  /** When its rules apply; none: always. */
  readonly schedules: readonly Schedule[];
  /** What is hidden in the history of its clients, 0 to 3. */
  readonly privacy: number;
}

export interface GroupFields {
  readonly name: string;
  readonly comment: string | null;
  readonly enabled: boolean;
  /** Left out, they stay as they are; a new group has none. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** Likewise; a new group has 0. */
  readonly privacy?: number | undefined;
}

export const groupFromRow = (row: GroupRow): Group => ({
  id: row.id,
  name: row.name,
  comment: row.comment,
  enabled: row.enabled === 1,
  date_added: row.date_added,
  date_modified: row.date_modified,
  // Written by `columns` alone.
  schedules: JSON.parse(row.schedules) as Schedule[],
  privacy: row.privacy,
});

const columns = ({ name, comment, enabled, schedules, privacy }: GroupFields, nowMs: number) => ({
  name,
  comment: comment === '' ? null : comment,
  enabled: enabled ? 1 : 0,
  date_modified: Math.floor(nowMs / 1000),
  ...(schedules === undefined ? {} : { schedules: JSON.stringify(schedules) }),
  ...(privacy === undefined ? {} : { privacy }),
});

/** The new group; nothing when its name is taken. */
export const insertGroup = async (scope: ChangeScope, fields: GroupFields): Promise<Group | undefined> => {
  const values = columns(fields, scope.nowMs);
  const row = await scope.db
    .insertInto('groups')
    .values({ ...values, date_added: values.date_modified })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const group = groupFromRow(row);
  scope.record({ entity: 'group', key: String(group.id), before: null, after: group });
  return group;
};

/** The group as it is now; nothing when its new name is taken by another. */
export const updateGroup = async (
  scope: ChangeScope,
  before: Group,
  fields: GroupFields,
): Promise<Group | undefined> => {
  const taken = await scope.db
    .selectFrom('groups')
    .select('id')
    .where('name', '=', fields.name)
    .where('id', '!=', before.id)
    .executeTakeFirst();
  if (taken !== undefined) return undefined;
  const row = await scope.db
    .updateTable('groups')
    .set(columns(fields, scope.nowMs))
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const group = groupFromRow(row);
  scope.record({ entity: 'group', key: String(group.id), before, after: group });
  return group;
};

export const findGroup = async (scope: ChangeScope, name: string): Promise<Group | undefined> => {
  const row = await scope.db.selectFrom('groups').selectAll().where('name', '=', name).executeTakeFirst();
  return row === undefined ? undefined : groupFromRow(row);
};

export const groupById = async ({ db }: Pick<ChangeScope, 'db'>, id: number): Promise<Group | undefined> => {
  const row = await db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : groupFromRow(row);
};

/** Puts a deleted group back under its old id; false when its name is taken. */
export const restoreGroup = async (scope: ChangeScope, group: Group): Promise<boolean> => {
  if ((await findGroup(scope, group.name)) !== undefined) return false;
  const { id, date_added } = group;
  await scope.db
    .insertInto('groups')
    .values({ id, ...columns(group, scope.nowMs), date_added })
    .execute();
  scope.record({
    entity: 'group',
    key: String(id),
    before: null,
    after: (await groupById(scope, id)) ?? null,
  });
  return true;
};

const domains: Members<DomainRow> = {
  entity: 'domain',
  table: 'domain_groups',
  entries: 'domains',
  fromRow: domainFromRow,
};
const lists: Members<ListRow> = {
  entity: 'list',
  table: 'list_groups',
  entries: 'lists',
  fromRow: listFromRow,
};
const clients: Members<ClientRow> = {
  entity: 'client',
  table: 'client_groups',
  entries: 'clients',
  fromRow: clientFromRow,
};

export const deleteGroup = async (scope: ChangeScope, group: Group): Promise<void> => {
  await leaveGroup(scope, domains, group.id);
  await leaveGroup(scope, lists, group.id);
  await leaveGroup(scope, clients, group.id);
  const pause = await findPause(scope, { group_id: group.id });
  if (pause !== undefined) await deletePause(scope, pause);
  await scope.db.deleteFrom('groups').where('id', '=', group.id).execute();
  scope.record({ entity: 'group', key: String(group.id), before: group, after: null });
};
