// Sessions on the disk. They are not entities and do not go through `change`: a login needs no revision,
// because a user cannot undo it.

import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';
import { isWritten } from './storage-trouble.ts';
import { countUnversioned } from './version-counter.ts';

export interface StoredSession {
  readonly id: number;
  readonly key: string;
  readonly address: string;
  readonly user_agent: string | null;
  readonly login_at_ms: number;
  readonly last_used_ms: number;
  readonly ends_ms: number;
  readonly is_tls: number;
  readonly app_id: number | null;
  readonly credential: string;
}

export interface SessionsStore {
  readonly load: () => Promise<StoredSession[]>;
  /** True when they are on the disk. */
  readonly save: (sessions: readonly StoredSession[]) => Promise<boolean>;
  /** True when they are removed from the disk. */
  readonly remove: (ids: readonly number[]) => Promise<boolean>;
}

export const createSessionsStore = (db: Kysely<Tables>): SessionsStore => ({
  load: () => db.selectFrom('sessions').selectAll().orderBy('id').execute(),
  save: (sessions) =>
    isWritten(() =>
      db.transaction().execute(async (transaction) => {
        for (const session of sessions) await saveOne(transaction, session);
      }),
    ),
  remove: async (ids) =>
    ids.length === 0 ||
    isWritten(() =>
      db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('sessions').where('id', 'in', ids).execute();
        await countUnversioned(transaction);
      }),
    ),
});

async function saveOne(db: Transaction<Tables>, session: StoredSession): Promise<void> {
  const { last_used_ms, ends_ms } = session;
  await db
    .insertInto('sessions')
    .values(session)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_used_ms, ends_ms }))
    .execute();
}
