// A database as an earlier version left it: what later migrations added to the tables is taken out again, so
// that opening it runs them on data of a test.

import type { DatabaseSync } from 'node:sqlite';

const added: readonly (readonly [migration: string, statements: string])[] = [
  ['0004', 'drop table pauses; alter table groups drop column schedules'],
  ['0006', 'alter table lists drop column held'],
  ['0007', 'alter table groups drop column privacy'],
  ['0009', 'alter table lists drop column added_with'],
  [
    '0011',
    `drop table counters; drop index revisions_version;
     alter table revisions drop column packed; alter table revisions drop column counts;
     alter table revisions drop column version`,
  ],
];

/** `migration`: the number of the first one that has not run yet, from 0004 on. */
export function backBefore(database: DatabaseSync, migration: string): void {
  for (const [name, statements] of added) if (name >= migration) database.exec(statements);
  database.prepare('delete from kysely_migration where name >= ?').run(migration);
}
