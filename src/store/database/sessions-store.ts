// Sessions, application passwords and credentials on the disk. They are no entities: nobody undoes a login,
// and a change of a password must leave no trace of the old one, so they do not go through `change`.

import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

export interface KeptSession {
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
  readonly load: () => Promise<KeptSession[]>;
  readonly save: (sessions: readonly KeptSession[]) => Promise<void>;
  readonly remove: (ids: readonly number[]) => Promise<void>;
}

export const createSessionsStore = (db: Kysely<Tables>): SessionsStore => ({
  load: () => db.selectFrom('sessions').selectAll().orderBy('id').execute(),
  save: async (sessions) => {
    await db.transaction().execute(async (transaction) => {
      for (const session of sessions) {
        await transaction
          .insertInto('sessions')
          .values(session)
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({ last_used_ms: session.last_used_ms, ends_ms: session.ends_ms }),
          )
          .execute();
      }
    });
  },
  remove: async (ids) => {
    if (ids.length > 0) await db.deleteFrom('sessions').where('id', 'in', ids).execute();
  },
});
