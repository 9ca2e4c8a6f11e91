// Tables that the database should have and does not, because somebody or something has dropped them, or has
// altered their columns so that the service cannot use them. The service goes on: what holds no rules gets an
// empty table in memory in its place, which is lost when the service ends, and health tells of it. Settings
// and secrets get none: a service that has forgotten its password must not serve. Rules and lists get none
// either: the read model reports them as not in force.

import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { migrate } from './migrations.ts';
import { recordColumns, type Tables } from './schema.ts';
import { sqliteDialect } from '#platform/sqlite';
import { unusableTables } from './table-check.ts';

/** What is wrong, and what to do about it; nothing when every table can be used. */
export async function replaceMissingTables(
  db: Kysely<Tables>,
  database: DatabaseSync,
): Promise<string | undefined> {
  const { missing, altered } = unusableTables(database);
  if (missing.length === 0 && altered.length === 0) return undefined;
  // A table in memory is found before one of the same name in the file.
  const replaced = [...missing, ...altered].filter((name) => name in recordColumns);
  await replaceInMemory(db, replaced);
  return problemText(missing, altered, replaced);
}

/** The definitions are those that the migrations lead to, so that there is one source of them. */
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
