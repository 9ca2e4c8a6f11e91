// The seal never reports false damage, however the service ends: if no other program changes the database,
// the seal matches at the next start.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { damages } from '../../../test/running/damage.ts';
import { isSealViolated, seal } from './file-seal.ts';
import { groupTable } from './groups.ts';
import { HighWaterMark } from './high-water-mark.ts';
import { openDatabaseFile } from './open-file.ts';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-seal-'));
after(() => rmSync(root, { recursive: true }));
const nowMs = Date.UTC(2026, 0, 10);
const folder = (): string => mkdtempSync(join(root, 'x'));
const file = (dataDir: string): string => join(dataDir, 'sluice.db');
const hasSeal = (dataDir: string): boolean => existsSync(`${file(dataDir)}.checksum`);

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  return storage;
}

const addGroup = (storage: Storage, name: string) =>
  storage.change('me', (scope) => groupTable.insert(scope, { name, comment: null, enabled: true }));

/** A folder with a sealed database. `sql` is run without the service before the file is sealed again. */
async function restingFolder(sql = ''): Promise<string> {
  const dataDir = folder();
  const storage = await open(dataDir);
  assert.ok((await addGroup(storage, 'kids')).ok);
  await storage.close();
  const database = new DatabaseSync(file(dataDir));
  database.exec(sql);
  database.close();
  if (sql !== '') await seal(file(dataDir));
  assert.ok(hasSeal(dataDir));
  return dataDir;
}

/** Writes until the database is closed; returns how many groups were stored. */
async function writeUntil(closed: Promise<void>, storage: Storage): Promise<number> {
  const state = { isClosed: false };
  const closing = closed.then(() => (state.isClosed = true));
  let stored = 0;
  for (let count = 0; count < 100_000 && !state.isClosed; count++) {
    const outcome = await addGroup(storage, `group ${count}`).catch(() => ({ ok: false }));
    if (outcome.ok) stored++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closing;
  return stored;
}

describe('The seal of the database', () => {
  it('exists after a stop, and the next start reports nothing', async () => {
    const storage = await open(await restingFolder());
    assert.deepEqual(storage.alarms, []);
    await storage.close();
  });

  it('is not violated by changes that are stored during a stop: the next start finds them all', async () => {
    const dataDir = await restingFolder();
    const storage = await open(dataDir);
    const stored = await writeUntil(storage.close(), storage);
    assert.ok(stored > 0, 'Nothing was stored during the stop, so this test is void.');
    const again = await open(dataDir);
    assert.deepEqual([again.alarms, again.read.groups.size], [[], 2 + stored]);
    await again.close();
  });

  it('is removed by the first change, also when the thread ends before the log is moved', async () => {
    const dataDir = await restingFolder();
    const worker = new Worker(
      `const { workerData, parentPort } = require('node:worker_threads');
       import(workerData.module).then(async ({ openStorage }) => {
         globalThis.storage = await openStorage({ ...workerData, nowMs: Date.now, onDamaged: () => {} });
         await storage.secrets.set('first', 'change');
         parentPort.postMessage('stored');
       });
       setInterval(() => globalThis.storage, 1000);`,
      { eval: true, workerData: { dataDir, module: new URL('./storage.ts', import.meta.url).href } },
    );
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
    const again = await open(dataDir);
    assert.deepEqual(again.alarms, []);
    await again.close();
  });

  it('is removed by a migration that writes and fails', async () => {
    const dataDir = await restingFolder('drop table kysely_migration');
    const reason = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail });
    assert.ok(typeof reason === 'string', 'It is used.');
    assert.match(reason, /cannot be brought up to date/);
    const { database, alarms } = openDatabaseFile(dataDir, nowMs);
    assert.deepEqual(alarms, []);
    database.close();
  });

  it('is removed by a change while a loss cannot be recorded', async () => {
    const noMessages = "create trigger full before insert on messages begin select raise(abort, 'full'); end";
    const dataDir = await restingFolder(noMessages);
    const mark = new HighWaterMark(dataDir);
    mark.begin(2);
    mark.close();
    const storage = await open(dataDir);
    assert.match(storage.losses() ?? '', /^1 change is missing/);
    assert.ok((await addGroup(storage, 'guests')).ok);
    await storage.close();
    const again = await open(dataDir);
    assert.deepEqual(again.alarms, []);
    await again.close();
  });

  it('that is violated stays until the damage is recorded', async () => {
    const noMessages = "create trigger full before insert on messages begin select raise(abort, 'full'); end";
    const dataDir = await restingFolder(noMessages);
    damages['byte early'](file(dataDir));
    assert.ok(isSealViolated(file(dataDir)));
    for (const name of ['a', 'b']) {
      const storage = await open(dataDir);
      assert.match(storage.alarms.join(), /its checksum does not match/);
      assert.ok((await addGroup(storage, name)).ok);
      await storage.close();
    }
    const database = new DatabaseSync(file(dataDir));
    database.exec('drop trigger full');
    database.close();
    const recording = await open(dataDir);
    assert.match(recording.losses() ?? '', /its checksum does not match/);
    await recording.close();
    const again = await open(dataDir);
    assert.deepEqual(again.alarms, []);
    await again.close();
  });
});
