import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { limits } from '#contract';
import type { ChangeScope } from './change.ts';
import { groupTable } from './groups.ts';
import { readHighWaterMark } from './high-water-mark.ts';
import { openStorage, type Storage } from './storage.ts';
import { backBefore } from '#testing/store/old-tables';

const root = mkdtempSync(join(tmpdir(), 'sluice-versions-'));
after(() => rmSync(root, { recursive: true }));

const nowMs = 1_700_000_000_000;
const folder = (): string => mkdtempSync(join(root, 'data-'));

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

async function addGroup(storage: Storage, name: string): Promise<number | undefined> {
  const fields = { name, comment: null, enabled: true };
  const outcome = await storage.change('me', (scope) => groupTable.insert(scope, fields));
  return outcome.ok ? outcome.version : assert.fail(outcome.problem);
}

/** A change that records items without writing them, because revisions depend only on what is recorded. */
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
  const deletions: Readonly<Record<string, string>> = {
    nothing: '',
    'all revisions': 'delete from revisions',
    'the counter': 'delete from counters',
    'the table of the counter': 'drop table counters',
  };
  for (const [what, statements] of Object.entries(deletions))
    it(`continues after a restart before which ${what} was deleted`, async () => {
      const dataDir = folder();
      const first = await open(dataDir);
      for (const name of ['a', 'b', 'c']) await addGroup(first, name);
      await first.close();
      execute(dataDir, statements);
      const second = await open(dataDir);
      assert.equal(await addGroup(second, 'd'), 4);
      await second.close();
    });

  it('is the high-water mark, also after a restore point', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    await addGroup(storage, 'a');
    await recordMany(storage, 3);
    assert.deepEqual(readHighWaterMark(dataDir), { state: 'known', last: 2 });
    await recordMany(storage, limits.revisionsPerChange + 1);
    assert.deepEqual(readHighWaterMark(dataDir), { state: 'known', last: 3 });
    await storage.close();
    const again = await open(dataDir);
    assert.deepEqual(again.alarms, []);
    await again.close();
  });
});

describe('a large change that was lost', () => {
  it('counts as one missing change', async () => {
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
    assert.match(third.alarms.join(), /^1 change is missing from .*number 1, but number 2 was stored/);
    await third.close();
  });
});

describe('a database of a release without versions', () => {
  it('gets a version for each revision, continues after the last one, and lacks no change', async () => {
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
  it('is reported as damaged when its bytes are damaged', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    const version = await recordMany(storage, limits.revisionsPerChange + 1);
    execute(dataDir, "update revisions set packed = x'00112233'");
    assert.deepEqual(await storage.revisions.itemsOf(version ?? 0), { state: 'damaged' });
    assert.deepEqual(await storage.revisions.itemsOf(99), { state: 'missing' });
    await storage.close();
  });
});
