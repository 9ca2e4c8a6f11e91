import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { insertGroup } from './groups.ts';
import { tablePurposes } from './schema.ts';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-missing-tables-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
const nowMs = () => 1_700_000_000_000;
const open = (dataDir: string) => openStorage({ dataDir, nowMs, onBroken: assert.fail });

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

/** A data folder whose database was complete once. */
async function folderWithout(...tables: readonly string[]): Promise<string> {
  const dataDir = mkdtempSync(join(root, `${folders++}-`));
  await (await opened(dataDir)).close();
  const database = new DatabaseSync(join(dataDir, 'sluice.db'));
  database.exec('pragma foreign_keys = off');
  for (const table of tables) database.exec(`drop table ${table}`);
  database.close();
  return dataDir;
}

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
  it('with every table lacks none, and the list of tables is that of the migrations', async () => {
    const dataDir = await folderWithout();
    const storage = await opened(dataDir);
    assert.equal(storage.missingTables, undefined);
    await storage.close();
    const own = tablesIn(dataDir).filter((name) => !/^(?:sqlite|kysely)_/u.test(name));
    assert.deepEqual(new Set(own), new Set(Object.keys(tablePurposes)));
  });

  it('without sessions, app passwords, revisions and messages keeps them in memory and says so', async () => {
    const dataDir = await folderWithout('sessions', 'app_passwords', 'revisions', 'messages');
    const storage = await opened(dataDir);
    assert.match(storage.missingTables ?? '', /lacks these tables: .*sessions.* kept in memory.*Restore/u);
    await storage.sessions.save([session]);
    assert.deepEqual(
      (await storage.sessions.load()).map((row) => ({ ...row })),
      [session],
    );
    assert.deepEqual(await storage.apps.list(), []);
    const made = await storage.change('me', (scope) => insertGroup(scope, fields));
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

  it('without a table of rules is opened and names it', async () => {
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

  it('without the list of its migrations is not used, and the reason is a whole sentence', async () => {
    const reason = await open(await folderWithout('kysely_migration'));
    assert.equal(
      reason,
      'the database cannot be brought up to date: table settings already exists. ' +
        'Restore a copy of it (docs/operating.md).',
    );
  });
});
