// Groups in the database. A deleted group leaves its members, each with a revision, and ends its pause.

import { entities } from '#contract';
import type { ChangeScope } from './change.ts';
import { clientTable } from './clients.ts';
import { domainTable } from './domains.ts';
import { entityTable, secondsOf, type EntityTable } from './entity-table.ts';
import { listTable } from './lists.ts';
import { deletePause, findPause } from './pauses.ts';
import type { GroupRow } from './schema.ts';
import type { Schedule } from '../schedule.ts';

interface GroupKey {
  readonly name: string;
}

export interface GroupFields {
  readonly comment: string | null;
  readonly enabled: boolean;
  /** When the rules of the group apply; empty: always. Undefined leaves them unchanged. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** How much of the history of its clients is hidden, 0 to 3. Undefined leaves it unchanged. */
  readonly privacy?: number | undefined;
}

export interface Group extends GroupKey, Required<GroupFields> {
  readonly id: number;
  readonly date_added: number;
  readonly date_modified: number;
  readonly schedules: readonly Schedule[];
  readonly privacy: number;
}

const table = entityTable<GroupRow, GroupKey, GroupFields, Group>({
  ...entities.groups,
  table: 'groups',
  columns: ['name', 'comment', 'enabled', 'schedules', 'privacy'],
  fromRow: (row) => ({
    id: row.id,
    name: row.name,
    comment: row.comment,
    enabled: row.enabled === 1,
    date_added: row.date_added,
    date_modified: row.date_modified,
    // Only `entityTable` writes this column.
    schedules: JSON.parse(row.schedules) as Schedule[],
    privacy: row.privacy,
  }),
});

export const groupTable: EntityTable<GroupKey, GroupFields, Group> = {
  ...table,
  remove: removeGroup,
  restore: (scope, now, then) => table.restore(scope, now, { ...then, date_modified: secondsOf(scope) }),
};

async function removeGroup(scope: ChangeScope, group: Group): Promise<void> {
  for (const { leaveGroup } of [domainTable, listTable, clientTable]) await leaveGroup(scope, group.id);
  const pause = await findPause(scope, { group_id: group.id });
  if (pause !== undefined) await deletePause(scope, pause);
  await table.remove(scope, group);
}
