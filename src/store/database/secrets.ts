// Small secrets of the service, by name: the two-factor secret, and the hash of a password that is set in the
// environment. Reads come from memory. A write goes to the disk at once; a failure of it is not fatal.

import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';
import { isWritten } from './storage-trouble.ts';
import { countUnversioned } from './version-counter.ts';

export interface Secrets {
  readonly get: (name: string) => string | undefined;
  /** True when it is on the disk. The value in memory changes in any case. */
  readonly set: (name: string, value: string | undefined) => Promise<boolean>;
}

export async function loadSecrets(db: Kysely<Tables>): Promise<Secrets> {
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
}

async function write(db: Kysely<Tables>, name: string, value: string | undefined): Promise<void> {
  if (value === undefined) await db.deleteFrom('secrets').where('name', '=', name).execute();
  else {
    await db
      .insertInto('secrets')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }
}
