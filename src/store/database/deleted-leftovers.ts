// Removes leftovers of deleted rows from the file. Addresses of lists may contain passwords, and users give
// copies of the file to others. By default SQLite leaves the bytes of deleted rows in the file;
// `secure_delete = on` overwrites them. `fast` would not overwrite free pages. Measured with 20,000 rows and
// 10,000 revisions: `on` writes as much as `off` for a change, and 2 MB instead of 0.3 MB when 18,000 rows
// are deleted at once, in about the same time. The leftovers of earlier releases are removed once, by
// rebuilding the file (`vacuum`). A flag in the file records that, so a copy from an earlier release is
// rebuilt, too.

import type { DatabaseSync } from 'node:sqlite';
import { sql, type Kysely } from 'kysely';
import { hasFlag, setFlag } from './file-flags.ts';
import type { Tables } from './schema.ts';
import { databaseTrouble, isSqliteError, troubleText } from '#platform/sqlite';

/** For every connection that writes. */
export const overwriteDeleted = 'pragma secure_delete = on';

/** A message for the log when the file cannot be rebuilt; the service works without. */
export async function removeOldLeftovers(
  db: Kysely<Tables>,
  database: DatabaseSync,
): Promise<string | undefined> {
  if (hasFlag(database, 'isRebuilt')) return undefined;
  try {
    // In memory, because other users may be able to read the folder for temporary files.
    await sql`pragma temp_store = memory`.execute(db);
    await sql`vacuum`.execute(db);
    setFlag(database, 'isRebuilt');
    return undefined;
  } catch (error) {
    if (!isSqliteError(error) || databaseTrouble(error) === 'damaged') throw error;
    return notRebuilt(troubleText(error));
  }
}

const notRebuilt = (reason: string): string =>
  `The database could not be rebuilt: ${reason}. Until it is, its file may still contain bytes of deleted ` +
  'entries, including passwords in addresses of lists. Free disk space, twice the size of the database; ' +
  'the service retries at the next start.';
