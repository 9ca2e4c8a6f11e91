// Reads what a copy of the database contains. The copy stays a single, unchanged file: SQLite creates no
// other file beside it (`immutable`, https://sqlite.org/uri.html#uriimmutable).

import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { deepProblem } from './deep-check.ts';
import { isSealViolated } from './file-seal.ts';
import { factsOf } from './last-change.ts';

export interface CopyFacts {
  readonly lastChange: number;
  readonly bytes: number;
  /** Without free pages. */
  readonly usedBytes: number;
}

/** Undefined when the file is not a database, has no tables, or the check for `isDeep` finds damage. */
export function copyFacts(path: string, isDeep: boolean): CopyFacts | undefined {
  if (isDeep && isSealViolated(path)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    database = new DatabaseSync(url, { readOnly: true });
    const { tables, lastChange } = factsOf(database);
    if (tables === 0 || (isDeep && deepProblem(database) !== undefined)) return undefined;
    return { lastChange, bytes: statSync(path).size, usedBytes: usedBytes(database) };
  } catch {
    // A copy that cannot be read is skipped, because an older one may be good.
    return undefined;
  } finally {
    database?.close();
  }
}

function usedBytes(database: DatabaseSync): number {
  const row = database
    .prepare(
      `select (page_count - freelist_count) * page_size as bytes
       from pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    .get();
  return Number(row?.['bytes']);
}
