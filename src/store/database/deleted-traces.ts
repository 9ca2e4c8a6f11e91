// What was deleted must be gone from the file: addresses of lists may hold passwords, and people give copies
// of the file away. SQLite leaves deleted bytes where they were unless it is told to overwrite them. `fast`
// would overwrite only what is written anyway, and leave free pages as they are. Measured with 20,000 rows
// and 10,000 revisions, `on` writes as much as `off` for a change, and 2 MB instead of 0.3 MB when 18,000
// rows are deleted at once, in about the same time. What earlier versions have left is removed once, by
// building the file anew. A flag in the file says that it was done: a copy of an earlier version has none.

import type { DatabaseSync } from 'node:sqlite';
import { sql, type Kysely } from 'kysely';
import { hasFlag, setFlag } from './file-flags.ts';
import type { Tables } from './schema.ts';
import { databaseTrouble, isSqliteError, troubleText } from '#platform/sqlite';

/** What must be on for every connection that writes. */
export const overwriteDeleted = 'pragma secure_delete = on';

/** What is to be logged when it cannot be done: the service works without. */
export async function removeOldTraces(
  db: Kysely<Tables>,
  database: DatabaseSync,
): Promise<string | undefined> {
  if (hasFlag(database, 'isRebuilt')) return undefined;
  try {
    // In memory: the folder for temporary files may be on another disk, and of other people.
    await sql`pragma temp_store = memory`.execute(db);
    await sql`vacuum`.execute(db);
    setFlag(database, 'isRebuilt');
    return undefined;
  } catch (error) {
    if (!isSqliteError(error) || databaseTrouble(error) === 'damaged') throw error;
    return notDone(troubleText(error));
  }
}

const notDone = (reason: string): string =>
  `The database could not be built anew: ${reason}. Until that is done, deleted entries, and passwords of ` +
  'list addresses among them, may still be found in the bytes of its file. Make room on the disk, twice ' +
  'the size of the database; it is tried again at the next start.';
