// Tables that the database should have and does not, because somebody or something has dropped them. The
// service goes on: what holds no rules gets an empty table in memory in its place, which is lost when the
// service ends, and health tells of it. Settings and secrets get none: a service that has forgotten its
// password must not serve. Rules and lists get none either: the read model reports them as not in force.

import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { migrate } from './migrations.ts';
import { tablePurposes, type Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** What is wrong, and what to do about it; nothing when every table is there. */
export async function replaceMissingTables(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema`.execute(db);
  const present = new Set(rows.map(({ name }) => name));
  const missing = Object.entries(tablePurposes).filter(([name]) => !present.has(name));
  if (missing.length === 0) return undefined;
  const replaced = missing.filter(([, purpose]) => purpose === 'records').map(([name]) => name);
  await replaceInMemory(db, replaced);
  return problemText(
    missing.map(([name]) => name),
    replaced,
  );
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

function problemText(missing: readonly string[], replaced: readonly string[]): string {
  const inMemory =
    replaced.length === 0
      ? ''
      : `What belongs in ${replaced.join(', ')} is kept in memory and lost when the service ends. `;
  return (
    `The database lacks these tables: ${missing.join(', ')}. ${inMemory}` +
    'Restore a copy of the database (docs/operating.md), and restart the service.'
  );
}
