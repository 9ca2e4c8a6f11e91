// Application passwords in the database. They are looked up by the SHA-256 of the password: a password of 256
// random bits needs no slow hash.

import type { Kysely } from 'kysely';
import type { ChangeScope } from './change.ts';
import type { Tables } from './schema.ts';
import { isWritten } from './storage-trouble.ts';

export interface AppPassword {
  readonly id: number;
  readonly name: string;
  readonly sudo: boolean;
  readonly created: number;
  readonly last_used: number | null;
}

type Row = { id: number; name: string; sudo: number; created: number; last_used: number | null };

const fromRow = ({ id, name, sudo, created, last_used }: Row): AppPassword => ({
  id,
  name,
  sudo: sudo === 1,
  created,
  last_used,
});

const shown = ['id', 'name', 'sudo', 'created', 'last_used'] as const;

export interface AppPasswords {
  readonly list: () => Promise<AppPassword[]>;
  readonly find: (key: string) => Promise<AppPassword | undefined>;
  /** True when it is on the disk. */
  readonly markUsed: (id: number, nowMs: number) => Promise<boolean>;
}

export const createAppPasswords = (db: Kysely<Tables>): AppPasswords => ({
  list: async () => {
    const rows = await db.selectFrom('app_passwords').select(shown).orderBy('id').execute();
    return rows.map(fromRow);
  },
  find: async (key) => {
    const row = await db.selectFrom('app_passwords').select(shown).where('key', '=', key).executeTakeFirst();
    return row === undefined ? undefined : fromRow(row);
  },
  markUsed: async (id, nowMs) => {
    const last_used = Math.floor(nowMs / 1000);
    return isWritten(() => db.updateTable('app_passwords').set({ last_used }).where('id', '=', id).execute());
  },
});

export async function insertAppPassword(
  { db, nowMs, record }: ChangeScope,
  name: string,
  sudo: boolean,
  key: string,
): Promise<AppPassword> {
  const row = await db
    .insertInto('app_passwords')
    .values({ name, sudo: sudo ? 1 : 0, key, created: Math.floor(nowMs / 1000), last_used: null })
    .returning(shown)
    .executeTakeFirstOrThrow();
  const app = fromRow(row);
  record({ entity: 'app', key: String(app.id), before: null, after: app });
  return app;
}

export async function countAppPasswords({ db }: ChangeScope): Promise<number> {
  const { count } = await db
    .selectFrom('app_passwords')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the deleted password; undefined when there was none with this id. */
export async function deleteAppPassword(
  { db, record }: ChangeScope,
  id: number,
): Promise<AppPassword | undefined> {
  const row = await db.deleteFrom('app_passwords').where('id', '=', id).returning(shown).executeTakeFirst();
  if (row === undefined) return undefined;
  record({ entity: 'app', key: String(id), before: fromRow(row), after: null });
  return fromRow(row);
}
