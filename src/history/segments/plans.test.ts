// No statement scans a table that grows with the queries. The test collects the statements while it uses
// every function of a store, and searches the sources for statements that it did not see.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { historyFile } from './database.ts';
import { fill, madeAddress, madeName } from '#testing/history/generator';
import { keepEverything } from './retention.ts';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hourMs = 3_600_000;
const made = { seed: 6, rows: 4_000, hours: 80, names: 300, clients: 9, fromMs: startMs };
const endMs = startMs + made.hours * hourMs;
const always = { fromMs: -Infinity, untilMs: Infinity };

/** The file, and the statements that were used. */
function used(context: TestContext): { readonly path: string; readonly statements: readonly string[] } {
  const place = makeTestStore(context);
  const first = place.open();
  fill(first, made);
  first.nameClient(madeAddress(1), 'one');
  first.everySecond(endMs);
  const { statements } = first;
  first.close();
  const store = place.open({ nowMs: endMs });
  while (store.everyMinute(endMs, { ...keepEverything, days: 3, allowedDays: 1 }));
  for (const filter of [{ domain: '*a*', clientName: 'o*' }, { domain: madeName(5) }, { clientName: 'one' }])
    store.page({ start: 0, length: 10, ...filter }, endless);
  const { statistics } = store.statistics(always, {}, endless);
  statistics.summary();
  for (const { id } of statistics.topNames('permitted', 5)) store.nameOf(id);
  for (const { id } of statistics.topClients('all', 5)) store.clientOf(id);
  store.statistics({ fromMs: startMs + 1, untilMs: endMs }, { types: [1] }, endless);
  store.namesOf(Uint32Array.of(1, 2));
  store.clients(10, endless);
  store.nameClient(madeAddress(1), 'another');
  store.flush();
  while (store.everyMinute(endMs, keepEverything));
  statements.push(...store.statements);
  store.close();
  return { path: historyFile(place.dataDir), statements };
}

/** One checks the schema when the file is opened, the other deletes all rows of a table. */
const harmless = new Set(['select count(*) as tables from sqlite_schema', 'delete from day']);

/** Strings in the sources that begin like a statement, except for the schema. */
function inSources(): string[] {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((name) => !name.endsWith('.test.ts'));
  return files.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8');
    const found = text.matchAll(/(['`])((?:select|insert|update|delete|replace|with)\s[^'`]*)\1/gu);
    return Array.from(found, ([, , sql = '']) => sql);
  });
}

function plain(sql: string): string {
  return sql.replaceAll(/\s+/gu, ' ').trim();
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}

function like(sql: string): RegExp {
  return new RegExp(
    `^${plain(sql)
      .split(/\$\{[^}]*\}/u)
      .map(escaped)
      .join('.*')}$`,
    'u',
  );
}

test('no statement scans a table that grows with traffic', (context) => {
  const { path, statements } = used(context);
  const all = new Set(statements.map(plain));
  const missing = inSources().filter(
    (sql) => !harmless.has(sql) && ![...all].some((one) => like(sql).test(one)),
  );
  assert.deepEqual(missing, [], 'statements that this test does not see');
  const database = new DatabaseSync(path);
  const walking = [...all].filter((sql) => !sql.startsWith('pragma') && isWalk(database, sql));
  database.close();
  // That table has one row per day.
  assert.deepEqual(walking, ['select day from day']);
});

/** A list that was passed in may be scanned, and the index of clients that have names. */
function isWalk(database: DatabaseSync, sql: string): boolean {
  const plan = database.prepare(`explain query plan ${sql}`).all();
  return plan.some(({ detail }) =>
    /^SCAN (?!json_each|.*USING (COVERING )?INDEX client_label)/u.test(String(detail)),
  );
}
