// The number of the last change, as the SQLite file has it: the last version, plus the writes that have no
// version (sessions that ended, secrets). A file from before versions has the last number of a revision,
// which only grows (`autoincrement`, https://sqlite.org/autoinc.html); the first version follows it, so that
// the numbers of both kinds of files can be compared.

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
  /** Whether a mark was ever kept beside this file. */
  readonly hadMark: boolean;
}

/** To be asked again and again; only once the tables are there. */
export function lastChangeOf(database: DatabaseSync): StatementSync {
  return database.prepare(lastWrite.text);
}

/** Also of a file without tables. */
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
  return { tables: names.size, lastChange: last.find(Boolean) ?? 0, hadMark: hasFlag(database, 'hasMark') };
}

/** 0 also for a table whose columns a person has altered: the service reports it once it is open. */
function numberBy(database: DatabaseSync, text: string): number {
  try {
    return Number(database.prepare(text).get()?.['last'] ?? 0);
  } catch (error) {
    if (!isSqliteError(error) || databaseTrouble(error) !== undefined) throw error;
    return 0;
  }
}

/** A full disk keeps us from it until the next start. */
export function sayThatMarkIsKept(database: DatabaseSync): void {
  try {
    if (!hasFlag(database, 'hasMark')) setFlag(database, 'hasMark');
  } catch (error) {
    if (databaseTrouble(error) === undefined) throw error;
  }
}
