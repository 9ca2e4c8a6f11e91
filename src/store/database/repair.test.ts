import assert from 'node:assert/strict';
import {
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { limits } from '#contract';
import { maintainDatabase } from './maintain-database.ts';
import { copiesDir, dayOf, listCopies } from './copies.ts';
import { markSuspect, openDatabaseFile } from './open-file.ts';
import { recordColumns, tablePurposes } from './schema.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-repair-'));
after(() => rmSync(root, { recursive: true }));
const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 10);

function columnsOf(table: string): string {
  const columns = Object.entries(recordColumns).find(([name]) => name === table)?.[1] ?? { id: 'integer' };
  return Object.entries(columns)
    .map((column) => column.join(' '))
    .join(', ');
}

function makeDatabase(): string {
  const dataDir = mkdtempSync(join(root, 'x'));
  const { database } = openDatabaseFile(dataDir, nowMs);
  for (const name of Object.keys(tablePurposes)) database.exec(`create table ${name} (${columnsOf(name)})`);
  database.exec('create table things (name text); create index by_name on things (name)');
  const insert = database.prepare('insert into things values (?)');
  database.exec('begin');
  for (let index = 0; index < 5_000; index++) insert.run(`thing number ${index}`);
  database.exec('commit');
  database.close();
  return dataDir;
}
const path = (dataDir: string): string => join(dataDir, 'sluice.db');
const countThings = (database: DatabaseSync): unknown =>
  database.prepare('select count(*) as n from things').get()?.['n'];

const damages: readonly (readonly [what: string, damage: (file: string) => void])[] = [
  ['a header of garbage', (file) => overwrite(file, 0, 4096)],
  ['a text file in its place', (file) => writeFileSync(file, 'this is no database'.repeat(500))],
  [
    'a file cut in half',
    (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2 / 4096) * 4096),
  ],
];

function overwrite(file: string, from: number, to: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, from, to);
  writeFileSync(file, bytes);
}

describe('a damaged database', () => {
  for (const [what, damage] of damages) {
    it(`(${what}) is put aside, and the newest good copy is restored`, async () => {
      const dataDir = makeDatabase();
      assert.deepEqual(await maintainDatabase(dataDir, nowMs), { state: 'good', copied: true });
      damage(path(dataDir));
      markSuspect(dataDir);
      const opened = openDatabaseFile(dataDir, nowMs);
      assert.equal(opened.origin, 'restored');
      assert.equal(countThings(opened.database), 5_000);
      assert.match(opened.alarms.join('\n'), /is broken.*put aside as.*\n.*copy of 2026-01-10 was restored/);
      assert.ok(readdirSync(dataDir).some((name) => name.startsWith('sluice.db.broken-')));
      opened.database.close();
    });
  }

  it('with damage in the middle is detected by maintenance and repaired at the next opening', async () => {
    const dataDir = makeDatabase();
    await maintainDatabase(dataDir, nowMs);
    overwrite(path(dataDir), 4096 * 3, 4096 * 6);
    const result = await maintainDatabase(dataDir, nowMs + dayMs);
    assert.equal(result.state, 'damaged');
    markSuspect(dataDir);
    const opened = openDatabaseFile(dataDir, nowMs);
    assert.equal(opened.origin, 'restored');
    opened.database.close();
    assert.equal(openDatabaseFile(dataDir, nowMs).origin, 'existing', 'it is no longer suspect');
  });

  it('that lacks a table is not copied, and the result names the table', async () => {
    const dataDir = makeDatabase();
    const database = new DatabaseSync(path(dataDir));
    database.exec('drop table sessions');
    database.close();
    const result = await maintainDatabase(dataDir, nowMs);
    assert.deepEqual(result, { state: 'failed', problem: 'it lacks the tables sessions' });
    assert.deepEqual(listCopies(dataDir), []);
  });

  it('with an altered table is not copied, and the result names the table', async () => {
    const dataDir = makeDatabase();
    const database = new DatabaseSync(path(dataDir));
    database.exec('alter table app_passwords drop column sudo');
    database.close();
    const result = await maintainDatabase(dataDir, nowMs);
    assert.deepEqual(result, {
      state: 'failed',
      problem: 'columns of app_passwords are missing or altered',
    });
    assert.deepEqual(listCopies(dataDir), []);
  });

  it('never replaces a good copy', async () => {
    const dataDir = makeDatabase();
    await maintainDatabase(dataDir, nowMs);
    overwrite(path(dataDir), 4096 * 3, 4096 * 6);
    await maintainDatabase(dataDir, nowMs + dayMs);
    assert.deepEqual(
      listCopies(dataDir).map(({ date }) => date),
      ['2026-01-10'],
    );
  });

  it('is not restored from a damaged copy, but from the next good one', async () => {
    const dataDir = makeDatabase();
    mkdirSync(join(copiesDir(dataDir), 'sluice-2026-01-09.db'), { recursive: true });
    await maintainDatabase(dataDir, nowMs);
    mkdirSync(join(copiesDir(dataDir), 'sluice-2026-01-12.db'));
    writeFileSync(join(copiesDir(dataDir), 'sluice-2026-01-11.db'), 'damaged'.repeat(1000));
    overwrite(path(dataDir), 0, 4096);
    const opened = openDatabaseFile(dataDir, nowMs);
    assert.equal(opened.origin, 'restored');
    assert.match(opened.alarms.join(), /copy of 2026-01-10/);
    opened.database.close();
  });

  it('that is missing after a crash during a repair is restored', async () => {
    const dataDir = makeDatabase();
    await maintainDatabase(dataDir, nowMs);
    renameSync(path(dataDir), `${path(dataDir)}.broken-before`);
    const opened = openDatabaseFile(dataDir, nowMs);
    assert.equal(opened.origin, 'restored');
    assert.equal(countThings(opened.database), 5_000);
    assert.match(opened.alarms.join('\n'), /missing or empty/);
    opened.database.close();
  });

  it('without a copy is replaced by an empty one, with an alarm', () => {
    const dataDir = makeDatabase();
    overwrite(path(dataDir), 0, 4096);
    const opened = openDatabaseFile(dataDir, nowMs);
    assert.equal(opened.origin, 'reset');
    assert.match(opened.alarms.join('\n'), /There is no good copy/);
    opened.database.close();
  });
});

describe('copies', () => {
  it('are made once a day, and seven are kept', async () => {
    const dataDir = makeDatabase();
    for (let day = 0; day < 9; day++) {
      const dayNowMs = nowMs + day * dayMs;
      assert.deepEqual(await maintainDatabase(dataDir, dayNowMs), { state: 'good', copied: true });
      assert.deepEqual(await maintainDatabase(dataDir, dayNowMs), { state: 'good', copied: false });
    }
    const dates = listCopies(dataDir).map(({ date }) => date);
    assert.equal(dates.length, limits.databaseCopies);
    assert.equal(dates[0], dayOf(nowMs + 8 * dayMs));
    assert.deepEqual(
      readdirSync(copiesDir(dataDir)).filter((name) => !/\.db(?:\.checksum)?$/.test(name)),
      [],
    );
  });

  it('with a date in the future are not preferred to newer copies', async () => {
    const dataDir = makeDatabase();
    for (let day = 0; day < limits.databaseCopies; day++)
      await maintainDatabase(dataDir, Date.UTC(2046, 0, 10) + day * dayMs);
    const writer = new DatabaseSync(path(dataDir));
    writer.exec("insert into things values ('the last one')");
    writer.close();
    assert.deepEqual(await maintainDatabase(dataDir, nowMs), { state: 'good', copied: true });
    assert.equal(listCopies(dataDir).length, limits.databaseCopies);
    overwrite(path(dataDir), 0, 4096);
    const opened = openDatabaseFile(dataDir, nowMs);
    assert.equal(countThings(opened.database), 5_001);
    assert.match(opened.alarms.join(), /copy of 2026-01-10/);
    opened.database.close();
    assert.deepEqual(await maintainDatabase(dataDir, nowMs + dayMs), { state: 'good', copied: true });
    assert.equal(listCopies(dataDir)[0]?.date, '2026-01-11', 'the same after a copy was restored');
  });

  it('contain the last write while another connection is open for writing', async () => {
    const dataDir = makeDatabase();
    const writer = new DatabaseSync(path(dataDir));
    writer.exec("insert into things values ('the last one')");
    await maintainDatabase(dataDir, nowMs);
    const copy = new DatabaseSync(listCopies(dataDir)[0]?.path ?? '', { readOnly: true });
    assert.equal(countThings(copy), 5_001);
    copy.close();
    writer.close();
  });
});
