// Pauses of blocking in the database, each for one group or for whom a text names. As with groups, each
// function writes inside a change and records what it did. A pause of a group goes with the group; one of a
// client does not need the client to be configured.

import { sql } from 'kysely';
import type { ChangeScope } from './change.ts';
import type { PauseRow } from './schema.ts';

/** One of the two. */
export type PauseOf = { readonly group_id: number } | { readonly client: string };

export interface StoredPause {
  readonly id: number;
  readonly group_id: number | null;
  /** In its canonical form, as that of a configured client. */
  readonly client: string | null;
  /** Unix seconds; null: until somebody ends it. */
  readonly until: number | null;
}

export const pauseFromRow = ({ id, group_id, client, until }: PauseRow): StoredPause => ({
  id,
  group_id,
  client,
  until,
});

export const pauseKey = ({ group_id, client }: StoredPause): string =>
  group_id === null ? `client ${client}` : `group ${group_id}`;

export const findPause = async ({ db }: ChangeScope, of: PauseOf): Promise<StoredPause | undefined> => {
  const all = db.selectFrom('pauses').selectAll();
  const one = 'client' in of ? all.where('client', '=', of.client) : all.where('group_id', '=', of.group_id);
  const row = await one.executeTakeFirst();
  return row === undefined ? undefined : pauseFromRow(row);
};

export const pauseById = async ({ db }: ChangeScope, id: number): Promise<StoredPause | undefined> => {
  const row = await db.selectFrom('pauses').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : pauseFromRow(row);
};

/** Begins a pause, or gives one that runs another end. */
export const putPause = async (
  scope: ChangeScope,
  of: PauseOf,
  until: number | null,
): Promise<StoredPause> => {
  const before = await findPause(scope, of);
  if (before !== undefined) return updatePause(scope, before, until);
  const values = { group_id: null, client: null, ...of, until };
  const row = await scope.db.insertInto('pauses').values(values).returningAll().executeTakeFirstOrThrow();
  const after = pauseFromRow(row);
  scope.record({ entity: 'pause', key: String(after.id), before: null, after });
  return after;
};

export const updatePause = async (
  scope: ChangeScope,
  before: StoredPause,
  until: number | null,
): Promise<StoredPause> => {
  await scope.db.updateTable('pauses').set({ until }).where('id', '=', before.id).execute();
  const after = { ...before, until };
  scope.record({ entity: 'pause', key: String(before.id), before, after });
  return after;
};

export const deletePause = async (scope: ChangeScope, pause: StoredPause): Promise<void> => {
  await scope.db.deleteFrom('pauses').where('id', '=', pause.id).execute();
  scope.record({ entity: 'pause', key: String(pause.id), before: pause, after: null });
};

/** Puts back one that was ended, under its old id; false when there is one again, or its group is gone. */
export const restorePause = async (scope: ChangeScope, pause: StoredPause): Promise<boolean> => {
  const of = pause.group_id === null ? { client: pause.client ?? '' } : { group_id: pause.group_id };
  if ((await findPause(scope, of)) !== undefined) return false;
  if (pause.group_id !== null && !(await hasGroup(scope, pause.group_id))) return false;
  await scope.db.insertInto('pauses').values(pauseFromRow(pause)).execute();
  scope.record({ entity: 'pause', key: String(pause.id), before: null, after: pause });
  return true;
};

/**
 * Takes out those whose time is over, by the clock or as the caller knows: their end was said when they
 * began, and is no change of anybody's.
 */
export const dropEndedPauses = async (
  scope: ChangeScope,
  over: readonly Pick<StoredPause, 'id' | 'until'>[] = [],
): Promise<number> => {
  const rows = await scope.db
    .deleteFrom('pauses')
    .where((pause) =>
      pause.or([
        pause('until', '<=', Math.floor(scope.nowMs / 1000)),
        // One that was given another end meanwhile goes on.
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
};

export const countPauses = async ({ db }: ChangeScope): Promise<number> => {
  const { rows } = await sql<{ readonly count: number }>`select count(*) as count from pauses`.execute(db);
  return rows[0]?.count ?? 0;
};

const hasGroup = async ({ db }: ChangeScope, id: number): Promise<boolean> =>
  (await db.selectFrom('groups').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
