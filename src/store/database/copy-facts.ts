// What a copy of the database holds, read without leaving a trace beside it: a copy is one file, and stays
// as it was made (`immutable`, https://sqlite.org/uri.html#uriimmutable).

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

/** Nothing when it is no database, or has no tables, or `isDeep` finds damage. */
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
    // One that the disk does not give is passed over: an older one may be whole.
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
