// Handles tables that are missing, or whose columns were altered so that the service cannot use them. The
// service keeps running: a table with records is replaced by an empty one in memory, which is gone when the
// service ends, and health reports it. Tables with settings and secrets are not replaced, because a service
// that has forgotten its password must not run. Tables with rules and lists are not replaced either: the read
// model reports that they are not in force.

import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { migrate } from './migrations.ts';
import { recordColumns, type Tables } from './schema.ts';
import { sqliteDialect } from '#platform/sqlite';
import { unusableTables } from './table-check.ts';

/** Returns what is wrong and what to do about it; undefined when every table can be used. */
export async function replaceMissingTables(
  db: Kysely<Tables>,
  database: DatabaseSync,
): Promise<string | undefined> {
  const { missing, altered } = unusableTables(database);
  if (missing.length === 0 && altered.length === 0) return undefined;
  // SQLite prefers a temporary table to one of the same name in the file.
  const replaced = [...missing, ...altered].filter((name) => name in recordColumns);
  await replaceInMemory(db, replaced);
  return problemText(missing, altered, replaced);
}

/** Runs the migrations in memory to get the definitions, so that only the migrations define tables. */
async function replaceInMemory(db: Kysely<Tables>, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const definitions = await currentDefinitions();
  await sql`pragma temp_store = memory`.execute(db);
  for (const name of names) {
    const definition = definitions.get(name) ?? '';
    await sql.raw(definition.replace(/^create table/iu, 'create temp table')).execute(db);
  }
}

async function currentDefinitions(): Promise<ReadonlyMap<string, string>> {
  const empty = new Kysely<Tables>({ dialect: sqliteDialect(new DatabaseSync(':memory:')) });
  try {
    await migrate(empty);
    const { rows } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_schema where type = 'table'`.execute(empty);
    return new Map(rows.map((row) => [row.name, row.sql]));
  } finally {
    await empty.destroy();
  }
}

function problemText(
  missing: readonly string[],
  altered: readonly string[],
  replaced: readonly string[],
): string {
  const sentences = [
    missing.length === 0 ? '' : `The database lacks these tables: ${missing.join(', ')}. `,
    altered.length === 0 ? '' : `Columns of these tables are missing or altered: ${altered.join(', ')}. `,
    replaced.length === 0
      ? ''
      : `What belongs in ${replaced.join(', ')} is kept in memory and lost when the service ends. `,
  ];
  return `${sentences.join('')}Restore a copy of the database (docs/operating.md), and restart the service.`;
}
