// Reads the number of the last change from the SQLite file: the last version, plus the writes that have no
// version (ended sessions, secrets). Files of earlier releases have no versions; there it is the last id of a
// revision, which only grows (`autoincrement`, https://sqlite.org/autoinc.html). The first version follows
// that id, so both numbers can be compared.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { hasFlag, setFlag } from './file-flags.ts';
import { databaseTrouble, isSqliteError } from '#platform/sqlite';

const lastWrite = {
  table: 'counters',
  text: "select sum(value) as last from counters where name in ('version', 'unversioned')",
} as const;
const lastRevision = {
  table: 'sqlite_sequence',
  text: "select seq as last from sqlite_sequence where name = 'revisions'",
} as const;

export interface FileFacts {
  readonly tables: number;
  readonly lastChange: number;
  /** Whether this file ever had a high-water mark. */
  readonly hadHighWaterMark: boolean;
}

/** A statement to run repeatedly. Prepare it after the tables exist. */
export function lastChangeOf(database: DatabaseSync): StatementSync {
  return database.prepare(lastWrite.text);
}

/** Works for a file without tables, too. */
export function factsOf(database: DatabaseSync): FileFacts {
  const names = new Set(
    database
      .prepare('select name from sqlite_schema')
      .all()
      .map(({ name }) => name),
  );
  const last = [lastWrite, lastRevision]
    .filter(({ table }) => names.has(table))
    .map(({ text }) => numberBy(database, text));
  return {
    tables: names.size,
    lastChange: last.find(Boolean) ?? 0,
    hadHighWaterMark: hasFlag(database, 'hasHighWaterMark'),
  };
}

/** 0 also when a user has altered the table; the service reports the altered columns after opening. */
function numberBy(database: DatabaseSync, text: string): number {
  try {
    return Number(database.prepare(text).get()?.['last'] ?? 0);
  } catch (error) {
    if (!isSqliteError(error) || databaseTrouble(error) !== undefined) throw error;
    return 0;
  }
}

/** Records that this file has a high-water mark. On a full disk this waits until the next start. */
export function flagHighWaterMark(database: DatabaseSync): void {
  try {
    if (!hasFlag(database, 'hasHighWaterMark')) setFlag(database, 'hasHighWaterMark');
  } catch (error) {
    if (databaseTrouble(error) === undefined) throw error;
  }
}
