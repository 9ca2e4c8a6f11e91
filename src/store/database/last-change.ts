// The number of the last change, as the SQLite file has it. Each change writes revisions, whose numbers only
// grow (`autoincrement`, https://sqlite.org/autoinc.html); SQLite keeps the last one also when old revisions
// are deleted.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { hasFlag, setFlag } from './file-flags.ts';
import { databaseTrouble } from '#platform/sqlite';

const lastChangeSql = "select seq as last from sqlite_sequence where name = 'revisions'";

export interface FileFacts {
  readonly tables: number;
  readonly lastChange: number;
  /** Whether a mark was ever kept beside this file. */
  readonly hadMark: boolean;
}

/** To be asked again and again; only once the tables are there. */
export function lastChangeOf(database: DatabaseSync): StatementSync {
  return database.prepare(lastChangeSql);
}

/** Also of a file without tables. */
export function factsOf(database: DatabaseSync): FileFacts {
  const row = database
    .prepare("select count(*) as tables, total(name = 'sqlite_sequence') as sequences from sqlite_schema")
    .get();
  const last = row?.['sequences'] === 0 ? 0 : database.prepare(lastChangeSql).get()?.['last'];
  const hadMark = hasFlag(database, 'hasMark');
  return { tables: Number(row?.['tables']), lastChange: Number(last ?? 0), hadMark };
}

/** A full disk keeps us from it until the next start. */
export function sayThatMarkIsKept(database: DatabaseSync): void {
  try {
    if (!hasFlag(database, 'hasMark')) setFlag(database, 'hasMark');
  } catch (error) {
    if (databaseTrouble(error) === undefined) throw error;
  }
}
