// Small secrets of the service itself, by name: the two-factor secret, the hash of a password that the
// environment pins. Read from memory; written at once, and a write that the disk refuses is not fatal.

import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';
import { isWritten } from './storage-trouble.ts';
import { countUnversioned } from './version-counter.ts';

export interface Secrets {
  readonly get: (name: string) => string | undefined;
  /** Whether it is on the disk; it holds in memory in any case. */
  readonly set: (name: string, value: string | undefined) => Promise<boolean>;
}

export const loadSecrets = async (db: Kysely<Tables>): Promise<Secrets> => {
  const rows = await db.selectFrom('secrets').selectAll().execute();
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return {
    get: (name) => values.get(name),
    set: async (name, value) => {
      if (value === undefined) values.delete(name);
      else values.set(name, value);
      return isWritten(() =>
        db.transaction().execute(async (transaction) => {
          await write(transaction, name, value);
          await countUnversioned(transaction);
        }),
      );
    },
  };
};

const write = async (db: Kysely<Tables>, name: string, value: string | undefined): Promise<void> => {
  if (value === undefined) await db.deleteFrom('secrets').where('name', '=', name).execute();
  else {
    await db
      .insertInto('secrets')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }
};
