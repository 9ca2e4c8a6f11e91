// Groups in the database. Each function writes inside a change and records what it did. A name that is
// already used is not an error but a return value.

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
  /** When the rules of the group apply; empty: always. */
  readonly schedules: readonly Schedule[];
  /** How much of the history of its clients is hidden, 0 to 3. */
  readonly privacy: number;
}

export interface GroupFields {
  readonly name: string;
  readonly comment: string | null;
  readonly enabled: boolean;
  /** Undefined leaves them unchanged; a new group has none. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** Undefined leaves it unchanged; a new group has 0. */
  readonly privacy?: number | undefined;
}

export const groupFromRow = (row: GroupRow): Group => ({
  id: row.id,
  name: row.name,
  comment: row.comment,
  enabled: row.enabled === 1,
  date_added: row.date_added,
  date_modified: row.date_modified,
  // Only `columns` writes this column.
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

/** Returns the new group; undefined when its name is already used. */
export async function insertGroup(scope: ChangeScope, fields: GroupFields): Promise<Group | undefined> {
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
}

/** Returns the new state of the group; undefined when another group has the new name. */
export async function updateGroup(
  scope: ChangeScope,
  before: Group,
  fields: GroupFields,
): Promise<Group | undefined> {
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
}

export async function findGroup(scope: ChangeScope, name: string): Promise<Group | undefined> {
  const row = await scope.db.selectFrom('groups').selectAll().where('name', '=', name).executeTakeFirst();
  return row === undefined ? undefined : groupFromRow(row);
}

export async function groupById({ db }: Pick<ChangeScope, 'db'>, id: number): Promise<Group | undefined> {
  const row = await db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : groupFromRow(row);
}

/** Restores a deleted group with its old id; false when its name is used again. */
export async function restoreGroup(scope: ChangeScope, group: Group): Promise<boolean> {
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
}

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

export async function deleteGroup(scope: ChangeScope, group: Group): Promise<void> {
  await leaveGroup(scope, domains, group.id);
  await leaveGroup(scope, lists, group.id);
  await leaveGroup(scope, clients, group.id);
  const pause = await findPause(scope, { group_id: group.id });
  if (pause !== undefined) await deletePause(scope, pause);
  await scope.db.deleteFrom('groups').where('id', '=', group.id).execute();
  scope.record({ entity: 'group', key: String(group.id), before: group, after: null });
}
