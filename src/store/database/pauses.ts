// Pauses of blocking in the database, each for one group or one client. As with groups, each function writes
// inside a change and records what it did. Deleting a group deletes its pause. The client of a pause need not
// be configured.

import { sql } from 'kysely';
import type { ChangeScope } from './change.ts';
import type { ItemTable } from './entity-table.ts';
import type { PauseRow } from './schema.ts';

/** What the pause applies to: a group or a client. */
export type PauseOf = { readonly group_id: number } | { readonly client: string };

export interface StoredPause {
  readonly id: number;
  readonly group_id: number | null;
  /** In the canonical form of configured clients. */
  readonly client: string | null;
  /** Unix seconds; null: until a user ends it. */
  readonly until: number | null;
}

const pauseFromRow = ({ id, group_id, client, until }: PauseRow): StoredPause => ({
  id,
  group_id,
  client,
  until,
});

export function pauseKey({ group_id, client }: StoredPause): string {
  return group_id === null ? `client ${client}` : `group ${group_id}`;
}

/** What the read model and an undo do with pauses, as with entities. */
export const pauseTable: ItemTable<StoredPause> = {
  keyOf: pauseKey,
  load: async (db) => {
    const rows = await db.selectFrom('pauses').selectAll().orderBy('id').execute();
    return rows.map(pauseFromRow);
  },
  byId: async ({ db }, id) => {
    const row = await db.selectFrom('pauses').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : pauseFromRow(row);
  },
  remove: deletePause,
  restore: async (scope, now, then) => {
    if (now === undefined) return restorePause(scope, then);
    await updatePause(scope, now, then.until);
    return true;
  },
};

export async function findPause({ db }: ChangeScope, of: PauseOf): Promise<StoredPause | undefined> {
  const all = db.selectFrom('pauses').selectAll();
  const one = 'client' in of ? all.where('client', '=', of.client) : all.where('group_id', '=', of.group_id);
  const row = await one.executeTakeFirst();
  return row === undefined ? undefined : pauseFromRow(row);
}

/** Begins a pause, or changes the end of a running one. */
export async function putPause(scope: ChangeScope, of: PauseOf, until: number | null): Promise<StoredPause> {
  const before = await findPause(scope, of);
  if (before !== undefined) return updatePause(scope, before, until);
  const values = { group_id: null, client: null, ...of, until };
  const row = await scope.db.insertInto('pauses').values(values).returningAll().executeTakeFirstOrThrow();
  const after = pauseFromRow(row);
  scope.record({ entity: 'pause', key: String(after.id), before: null, after });
  return after;
}

async function updatePause(
  scope: ChangeScope,
  before: StoredPause,
  until: number | null,
): Promise<StoredPause> {
  await scope.db.updateTable('pauses').set({ until }).where('id', '=', before.id).execute();
  const after = { ...before, until };
  scope.record({ entity: 'pause', key: String(before.id), before, after });
  return after;
}

export async function deletePause(scope: ChangeScope, pause: StoredPause): Promise<void> {
  await scope.db.deleteFrom('pauses').where('id', '=', pause.id).execute();
  scope.record({ entity: 'pause', key: String(pause.id), before: pause, after: null });
}

/** Restores an ended pause with its old id; false when there is a new one, or its group was deleted. */
async function restorePause(scope: ChangeScope, pause: StoredPause): Promise<boolean> {
  const of = pause.group_id === null ? { client: pause.client ?? '' } : { group_id: pause.group_id };
  if ((await findPause(scope, of)) !== undefined) return false;
  if (pause.group_id !== null && !(await hasGroup(scope, pause.group_id))) return false;
  await scope.db.insertInto('pauses').values(pauseFromRow(pause)).execute();
  scope.record({ entity: 'pause', key: String(pause.id), before: null, after: pause });
  return true;
}

/**
 * Deletes the pauses that have ended by the clock, and those that the caller knows to be over. No user
 * changed them now, so this writes no revision.
 */
export async function dropEndedPauses(
  scope: ChangeScope,
  over: readonly Pick<StoredPause, 'id' | 'until'>[] = [],
): Promise<number> {
  const rows = await scope.db
    .deleteFrom('pauses')
    .where((pause) =>
      pause.or([
        pause('until', '<=', Math.floor(scope.nowMs / 1000)),
        // A pause whose end was changed meanwhile continues.
        ...over.map(({ id, until }) => pause.and({ id, until })),
      ]),
    )
    .returningAll()
    .execute();
  for (const row of rows)
    scope.record({
      entity: 'pause',
      key: String(row.id),
      before: pauseFromRow(row),
      after: null,
      isReport: true,
    });
  return rows.length;
}

export async function countPauses({ db }: ChangeScope): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`select count(*) as count from pauses`.execute(db);
  return rows[0]?.count ?? 0;
}

const hasGroup = async ({ db }: ChangeScope, id: number): Promise<boolean> =>
  (await db.selectFrom('groups').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
