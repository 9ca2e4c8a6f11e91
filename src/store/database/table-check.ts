// Finds the tables of a database that cannot be used: tables that are missing, and tables with records of the
// service (see schema.ts) whose columns are missing or altered.

import type { DatabaseSync } from 'node:sqlite';
import { recordColumns, tablePurposes } from './schema.ts';

export interface UnusableTables {
  readonly missing: readonly string[];
  readonly altered: readonly string[];
}

export function unusableTables(database: DatabaseSync): UnusableTables {
  const rows = database.prepare('select name from sqlite_schema').all();
  const present = new Set(rows.map(({ name }) => name));
  const altered = Object.entries(recordColumns).filter(
    ([name, columns]) => present.has(name) && !fits(columnsOf(database, name), columns),
  );
  return {
    missing: Object.keys(tablePurposes).filter((name) => !present.has(name)),
    altered: altered.map(([name]) => name),
  };
}

interface Column {
  readonly name: string;
  /** As in `recordColumns`. */
  readonly kind: string;
  readonly mayBeLeftOut: boolean;
}

function columnsOf(database: DatabaseSync, table: string): readonly Column[] {
  const rows = database.prepare('select * from pragma_table_info(?)').all(table);
  return rows.map(({ name, type, notnull, dflt_value, pk }) => ({
    name: String(name),
    kind: `${String(type).toLowerCase()}${notnull === 1 ? ' not null' : ''}${pk === 0 ? '' : ' primary key'}`,
    mayBeLeftOut: notnull === 0 || dflt_value !== null,
  }));
}

function fits(found: readonly Column[], expected: Readonly<Record<string, string>>): boolean {
  const kinds = new Map(found.map(({ name, kind }) => [name, kind]));
  const hasAll = Object.entries(expected).every(([name, kind]) => kinds.get(name) === kind);
  return hasAll && found.every(({ name, mayBeLeftOut }) => name in expected || mayBeLeftOut);
}
