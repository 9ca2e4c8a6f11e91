import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { Kysely } from 'kysely';
import { removeOldLeftovers } from './deleted-leftovers.ts';
import { listTable } from './lists.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from '#platform/sqlite';
import { backBefore } from '#testing/store/old-tables';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-leftovers-'));
after(() => rmSync(root, { recursive: true }));
const folder = (): string => mkdtempSync(join(root, 'x'));
const file = (dataDir: string): string => join(dataDir, 'sluice.db');
const secret = 'correct-horse-battery';
const address = `https://me:${secret}@lists.example/hosts`;

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  return storage;
}

/** Which files of the folder hold the secret in their bytes. */
const holders = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => {
    const path = join(dataDir, name);
    return statSync(path).isFile() && readFileSync(path).includes(secret);
  });

/**
 * A folder of an earlier release: leftovers of deleted revisions in free pages, and one existing revision.
 */
async function earlierFolder(): Promise<string> {
  const dataDir = folder();
  await (await open(dataDir)).close();
  const database = new DatabaseSync(file(dataDir));
  backBefore(database, '0010');
  database.exec('pragma secure_delete = off; pragma user_version = 1; begin');
  const insert = database.prepare(
    "insert into revisions (at_ms, actor, entity, key, before, after) values (1, 'me', 'list', 'x', null, ?)",
  );
  for (let count = 0; count < 500; count++) insert.run(JSON.stringify({ address, count }));
  database.exec('delete from revisions where id > 1; commit');
  assert.ok(Number(database.prepare('pragma freelist_count').get()?.['freelist_count']) > 5);
  database.close();
  rmSync(`${file(dataDir)}.checksum`);
  assert.deepEqual(holders(dataDir), ['sluice.db']);
  return dataDir;
}

describe('A password in the address of a list', () => {
  it('is no longer in the bytes of the database after the list was deleted', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    const key = { address, type: 'block', added_with: 'sudo' } as const;
    const fields = { comment: null, enabled: true, groups: [0], group_expiry: {} };
    const made = await storage.change('me', (scope) => listTable.insert(scope, { ...key, ...fields }));
    const list = made.ok ? made.value : undefined;
    if (list === undefined) assert.fail('The list was not added.');
    await storage.close();
    assert.deepEqual(holders(dataDir), ['sluice.db'], 'The list needs its password.');
    const again = await open(dataDir);
    assert.ok((await again.change('me', (scope) => listTable.remove(scope, list))).ok);
    await again.close();
    assert.deepEqual(holders(dataDir), []);
  });

  it('that an earlier release deleted or recorded is removed at the first start', async () => {
    const dataDir = await earlierFolder();
    const storage = await open(dataDir);
    assert.deepEqual(storage.alarms, []);
    await storage.close();
    assert.deepEqual(holders(dataDir), []);
  });

  it('stays while another program locks the database, and is removed at the next start', async () => {
    const dataDir = await earlierFolder();
    const holder = new DatabaseSync(file(dataDir));
    const database = new DatabaseSync(file(dataDir));
    const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
    holder.exec('begin immediate');
    const problem = await removeOldLeftovers(db, database);
    assert.match(problem ?? '', /^The database could not be rebuilt: another .* at the next start\.$/);
    holder.close();
    await db.destroy();
    await (await open(dataDir)).close();
    assert.deepEqual(holders(dataDir), []);
  });
});
