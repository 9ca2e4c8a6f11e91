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
