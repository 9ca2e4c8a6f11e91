import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { insertAppPassword } from './app-passwords.ts';
import { groupTable } from './groups.ts';
import { tablePurposes } from './schema.ts';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-missing-tables-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
const nowMs = () => 1_700_000_000_000;
const open = (dataDir: string) => openStorage({ dataDir, nowMs, onDamaged: assert.fail });

async function opened(dataDir: string): Promise<Storage> {
  const storage = await open(dataDir);
  if (typeof storage === 'string') assert.fail(storage);
  return storage;
}

function tablesIn(dataDir: string): readonly string[] {
  const database = new DatabaseSync(join(dataDir, 'sluice.db'), { readOnly: true });
  const rows = database.prepare("select name from sqlite_schema where type = 'table'").all();
  database.close();
  return rows.map(({ name }) => String(name));
}

type Alter = (database: DatabaseSync) => void;

/** A data folder whose complete database was then altered. */
async function folderAfter(alter: Alter): Promise<string> {
  const dataDir = mkdtempSync(join(root, `${folders++}-`));
  await (await opened(dataDir)).close();
  const database = new DatabaseSync(join(dataDir, 'sluice.db'));
  database.exec('pragma foreign_keys = off');
  alter(database);
  database.close();
  return dataDir;
}

const execute =
  (statements: string): Alter =>
  (database) =>
    database.exec(statements);

const folderWithout = (...tables: readonly string[]): Promise<string> =>
  folderAfter(execute(tables.map((table) => `drop table ${table};`).join('')));

/** Creates the table again with one part of its definition replaced. */
const redefine =
  (table: string, part: string, by: string): Alter =>
  (database) => {
    const row = database.prepare('select sql from sqlite_schema where name = ?').get(table);
    const definition = String(row?.['sql']);
    assert.ok(definition.includes(part), definition);
    database.exec(`drop table ${table}; ${definition.replace(part, by)}`);
  };

const fields = { name: 'kids', comment: null, enabled: true };
const session = {
  id: 1,
  key: 'k',
  address: '192.0.2.1',
  user_agent: null,
  login_at_ms: 1,
  last_used_ms: 1,
  ends_ms: 2,
  is_tls: 0,
  app_id: null,
  credential: 'c',
};

describe('a database', () => {
  it('with all tables reports none as missing, and `tablePurposes` lists them all', async () => {
    const dataDir = await folderWithout();
    const storage = await opened(dataDir);
    assert.equal(storage.missingTables, undefined);
    await storage.close();
    const own = tablesIn(dataDir).filter((name) => !/^(?:sqlite|kysely)_/u.test(name));
    assert.deepEqual(new Set(own), new Set(Object.keys(tablePurposes)));
  });

  it('without sessions, app passwords, revisions and messages keeps them in memory', async () => {
    const dataDir = await folderWithout('sessions', 'app_passwords', 'revisions', 'messages');
    const storage = await opened(dataDir);
    assert.match(storage.missingTables ?? '', /lacks these tables: .*sessions.* kept in memory.*Restore/u);
    await storage.sessions.save([session]);
    assert.deepEqual(
      (await storage.sessions.load()).map((row) => ({ ...row })),
      [session],
    );
    assert.deepEqual(await storage.apps.list(), []);
    const made = await storage.change('me', (scope) => groupTable.insert(scope, fields));
    assert.ok(made.ok, JSON.stringify(made));
    const others = await storage.messages.count();
    await storage.messages.put('health', 'database', 'DISK', 'A table is missing.');
    assert.equal(await storage.messages.count(), others + 1);
    await storage.close();

    const again = await opened(dataDir);
    assert.ok(again.read.groups.get('kids'), 'The change itself is on the disk.');
    assert.deepEqual(await again.sessions.load(), []);
    assert.deepEqual(
      tablesIn(dataDir).filter((name) => name === 'sessions'),
      [],
    );
    await again.close();
  });

  const alterations: readonly (readonly [what: string, table: string, alter: Alter])[] = [
    ['without credential', 'sessions', execute('alter table sessions drop column credential')],
    ['with ends_ms renamed', 'sessions', execute('alter table sessions rename column ends_ms to ends')],
    ['without a primary key', 'sessions', redefine('sessions', 'id integer primary key', 'id integer')],
    ['with app_id of text', 'sessions', redefine('sessions', 'app_id integer', 'app_id text')],
    ['that is a view', 'sessions', execute('drop table sessions; create view sessions as select 1 as id')],
    ['without sudo', 'app_passwords', execute('alter table app_passwords drop column sudo')],
    [
      'with a new column to fill in',
      'app_passwords',
      redefine('app_passwords', 'name', 'x any not null, name'),
    ],
    ['without actor', 'revisions', execute('alter table revisions drop column actor')],
    ['without plain', 'messages', execute('alter table messages drop column plain')],
  ];
  for (const [what, table, alter] of alterations)
    it(`with a table ${table} ${what} keeps it in memory, reports it, and everything works`, async () => {
      const storage = await opened(await folderAfter(alter));
      const report = `Columns of these tables are missing or altered: ${table}. What belongs in ${table} is`;
      assert.equal(storage.missingTables?.slice(0, report.length), report);
      await storage.sessions.save([session]);
      assert.deepEqual(
        (await storage.sessions.load()).map((row) => ({ ...row })),
        [session],
      );
      const made = await storage.change('me', async (scope) => {
        await groupTable.insert(scope, fields);
        return insertAppPassword(scope, 'app', true, 'key');
      });
      assert.ok(made.ok, JSON.stringify(made));
      assert.deepEqual(await storage.apps.find('key'), made.value);
      await storage.messages.put('health', 'database', 'DISK', 'A column is missing.');
      assert.ok((await storage.messages.list()).some(({ plain }) => plain === 'A column is missing.'));
      await storage.close();
    });

  it('with an additional nullable column is used without a report', async () => {
    const storage = await opened(await folderAfter(execute('alter table sessions add column note text')));
    assert.equal(storage.missingTables, undefined);
    await storage.close();
  });

  it('without a table of rules is opened, and the report names the table', async () => {
    const storage = await opened(await folderWithout('pauses'));
    assert.match(storage.missingTables ?? '', /lacks these tables: pauses\. Restore/u);
    await storage.close();
  });

  for (const table of ['settings', 'secrets'])
    it(`without ${table} is not used, and the reason names the table`, async () => {
      const reason = await open(await folderWithout(table));
      assert.ok(typeof reason === 'string', 'It is used.');
      assert.match(reason, new RegExp(`cannot be used: no such table: ${table}\\. Restore`, 'u'));
    });

  it('without the table of migrations is not used, and the reason is a complete sentence', async () => {
    const reason = await open(await folderWithout('kysely_migration'));
    assert.equal(
      reason,
      'the database cannot be brought up to date: table settings already exists. ' +
        'Restore a copy of it (docs/operating.md).',
    );
  });
});
