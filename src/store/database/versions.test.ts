import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { limits } from '#contract';
import type { ChangeScope } from './change.ts';
import { insertGroup } from './groups.ts';
import { readMark } from './high-water-mark.ts';
import { openStorage, type Storage } from './storage.ts';
import { backBefore } from '#testing/store/old-tables';

const root = mkdtempSync(join(tmpdir(), 'sluice-versions-'));
after(() => rmSync(root, { recursive: true }));

const nowMs = 1_700_000_000_000;
const folder = (): string => mkdtempSync(join(root, 'data-'));

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onBroken: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

async function addGroup(storage: Storage, name: string): Promise<number | undefined> {
  const fields = { name, comment: null, enabled: true };
  const outcome = await storage.change('me', (scope) => insertGroup(scope, fields));
  return outcome.ok ? outcome.version : assert.fail(outcome.problem);
}

/** A change that only records: what the revisions of it are does not depend on what it does. */
async function recordMany(storage: Storage, count: number): Promise<number | undefined> {
  const outcome = await storage.change('me', async ({ record }: ChangeScope) => {
    for (let index = 0; index < count; index++)
      record({ entity: 'setting', key: `k${index}`, before: null, after: index });
  });
  return outcome.ok ? outcome.version : assert.fail(outcome.problem);
}

function execute(dataDir: string, statements: string): void {
  const database = new DatabaseSync(join(dataDir, 'sluice.db'));
  database.exec(statements);
  database.close();
}

describe('the number of the last version', () => {
  const losses: Readonly<Record<string, string>> = {
    nothing: '',
    'all revisions': 'delete from revisions',
    'the counter': 'delete from counters',
    'the table of the counter': 'drop table counters',
  };
  for (const [what, statements] of Object.entries(losses))
    it(`goes on after a restart in which ${what} was lost`, async () => {
      const dataDir = folder();
      const first = await open(dataDir);
      for (const name of ['a', 'b', 'c']) await addGroup(first, name);
      await first.close();
      execute(dataDir, statements);
      const second = await open(dataDir);
      assert.equal(await addGroup(second, 'd'), 4);
      await second.close();
    });

  it('is the mark of the last change beside the file, also of a restore point', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    await addGroup(storage, 'a');
    await recordMany(storage, 3);
    assert.deepEqual(readMark(dataDir), { state: 'known', last: 2 });
    await recordMany(storage, limits.revisionsPerChange + 1);
    assert.deepEqual(readMark(dataDir), { state: 'known', last: 3 });
    await storage.close();
    const again = await open(dataDir);
    assert.deepEqual(again.alarms, []);
    await again.close();
  });
});

describe('a large change that is lost', () => {
  it('is one missing change', async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    await addGroup(first, 'a');
    await first.close();
    const backup = readFileSync(join(dataDir, 'sluice.db'));
    const second = await open(dataDir);
    await recordMany(second, limits.revisionsPerChange + 1);
    await second.close();
    writeFileSync(join(dataDir, 'sluice.db'), backup);
    const third = await open(dataDir);
    assert.match(third.alarms.join(), /^1 change is missing from .*number 1, and number 2 was stored/);
    await third.close();
  });
});

describe('a database from before versions', () => {
  it('has a version for each revision, goes on behind the last one, and lacks no change', async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    for (const name of ['a', 'b', 'c']) await addGroup(first, name);
    await first.close();
    const database = new DatabaseSync(join(dataDir, 'sluice.db'));
    database.exec('delete from revisions where id = 1');
    backBefore(database, '0011');
    database.close();
    rmSync(join(dataDir, 'sluice.db.checksum'));
    const second = await open(dataDir);
    assert.deepEqual(second.alarms, []);
    const known = (await second.revisions.list(10)).map(({ id, version }) => [id, version]);
    assert.deepEqual(known, [
      [3, 3],
      [2, 2],
    ]);
    assert.equal(await addGroup(second, 'd'), 4);
    await second.close();
  });
});

describe('a change of many items', () => {
  it('whose bytes are damaged is so reported', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    const version = await recordMany(storage, limits.revisionsPerChange + 1);
    execute(dataDir, "update revisions set packed = x'00112233'");
    assert.deepEqual(await storage.revisions.itemsOf(version ?? 0), { state: 'damaged' });
    assert.deepEqual(await storage.revisions.itemsOf(99), { state: 'missing' });
    await storage.close();
  });
});
