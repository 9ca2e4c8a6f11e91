// Numbers the changes. The last number is a row of its own: it stays when old revisions are dropped, and a
// database with several connections gives the numbers in the order of the commits, because each change locks
// the row until its end. A change that is taken back gives its number back, so there are no gaps.

import { sql, type Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** To be called inside the transaction of the change. */
export async function nextVersion(db: Kysely<Tables>): Promise<number> {
  // Without the row, as in a table that was replaced, it goes on behind the revisions that are there.
  const { rows } = await sql<{ readonly value: number }>`
    insert into counters (name, value)
    values ('version', coalesce((select max(version) from revisions), 0) + 1)
    on conflict (name) do update set value = counters.value + 1
    returning value`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The database gave no version to a change.');
  return row.value;
}

/**
 * Counts a write that is no change of an entity, and so has no version: a session that ends, a secret. The
 * high-water mark needs it, or losing such a write with the write-ahead log would go unnoticed.
 */
export async function countUnversioned(db: Kysely<Tables>): Promise<void> {
  await sql`
    insert into counters (name, value) values ('unversioned', 1)
    on conflict (name) do update set value = counters.value + 1`.execute(db);
}
