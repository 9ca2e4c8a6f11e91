// The write-ahead log and the high-water mark: when the database file alone is a backup, and what is reported
// when changes are missing, and for how long.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { damages } from '../../../test/running/damage.ts';
import { until } from '../../../test/running/waiting.ts';
import { limits } from '#contract';
import { maintainDatabase, moveLog } from './maintain-database.ts';
import { listCopies } from './copies.ts';
import { groupTable } from './groups.ts';
import { openStorage, type Storage, type StorageOptions } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-missing-changes-'));
after(() => rmSync(root, { recursive: true }));
const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 10);

async function open(dataDir: string, more: Partial<StorageOptions> = {}): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail, ...more });
  if (typeof storage === 'string') assert.fail(storage);
  return storage;
}

async function addGroup(storage: Storage, name: string, comment: string | null = null): Promise<void> {
  const outcome = await storage.change('me', (scope) =>
    groupTable.insert(scope, { name, comment, enabled: true }),
  );
  assert.ok(outcome.ok, name);
}

const folder = (): string => mkdtempSync(join(root, 'x'));
const file = (dataDir: string): string => join(dataDir, 'sluice.db');
const logBytes = (dataDir: string): number =>
  statSync(`${file(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
const isMoved = (dataDir: string) => (): true | undefined => (logBytes(dataDir) === 0 ? true : undefined);

/** Counts the groups in a copy of the database file without its log. */
function groupsInFileAlone(dataDir: string): unknown {
  const alone = join(folder(), 'alone.db');
  cpSync(file(dataDir), alone);
  const database = new DatabaseSync(alone);
  const count = database.prepare('select count(*) as n from groups').get()?.['n'];
  database.close();
  return count;
}

describe('The write-ahead log', () => {
  it('is moved when nothing was written for 2 s, so that the file alone is a backup', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const dataDir = folder();
    const storage = await open(dataDir);
    await addGroup(storage, 'kids');
    t.mock.timers.tick(1_900);
    await addGroup(storage, 'guests');
    t.mock.timers.tick(1_900);
    assert.ok(logBytes(dataDir) > 0, 'The log was moved less than 2 s after a change.');
    t.mock.timers.tick(100);
    t.mock.timers.reset();
    await until('The log is moved', isMoved(dataDir));
    assert.equal(groupsInFileAlone(dataDir), 3);
    await storage.close();
  });

  it('is moved after 30 s when there is a write every second', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const dataDir = folder();
    const storage = await open(dataDir);
    for (let second = 0; second < 30; second++) {
      await addGroup(storage, `group ${second}`);
      t.mock.timers.tick(1_000);
    }
    t.mock.timers.reset();
    await until('The log is moved', isMoved(dataDir));
    await storage.close();
  });

  it('is not moved while another connection reads an older state, and changes still succeed', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const dataDir = folder();
    const storage = await open(dataDir);
    const reader = new DatabaseSync(file(dataDir), { readOnly: true });
    reader.exec('begin; select count(*) from groups');
    await addGroup(storage, 'kids');
    t.mock.timers.tick(2_000);
    t.mock.timers.reset();
    await addGroup(storage, 'guests');
    assert.ok(logBytes(dataDir) > 0);
    assert.equal(storage.trouble(), undefined);
    reader.close();
    await storage.close();
    assert.equal(groupsInFileAlone(dataDir), 3);
  });

  it('that has grown long is moved in another thread at once, and changes still succeed', async () => {
    const dataDir = folder();
    const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
    let moved = 0;
    const checkpointInThread = async (): Promise<void> => {
      moved++;
      await mayEnd;
      moveLog(dataDir);
    };
    const storage = await open(dataDir, { checkpointInThread });
    for (let count = 0; count < 100; count++) await addGroup(storage, `group ${count}`, 'c'.repeat(60_000));
    await until('The other thread is about to move the log', () => (moved === 1 ? true : undefined));
    await addGroup(storage, 'meanwhile');
    letEnd();
    await until('The log is moved', isMoved(dataDir));
    assert.equal(groupsInFileAlone(dataDir), storage.read.groups.size);
    await storage.close();
  });
});

describe('A database that lacks changes', () => {
  const session = {
    id: 1,
    key: 'k',
    address: '192.0.2.1',
    user_agent: null,
    login_at_ms: nowMs,
    last_used_ms: nowMs,
    ends_ms: nowMs + dayMs,
    is_tls: 0,
    app_id: null,
    credential: 'password',
  };
  const lastWrites: readonly (readonly [what: string, write: (storage: Storage) => Promise<unknown>])[] = [
    ['a new two-factor secret', ({ secrets }) => secrets.set('totp', 'secret')],
    ['the removal of a secret', ({ secrets }) => secrets.set('earlier', undefined)],
    ['the end of a session', ({ sessions }) => sessions.remove([session.id])],
  ];
  for (const [what, write] of lastWrites)
    it(`reports the loss when only ${what} is missing`, async () => {
      const dataDir = folder();
      const first = await open(dataDir);
      await addGroup(first, 'kids');
      await first.secrets.set('earlier', 'secret');
      await first.sessions.save([session]);
      await first.close();
      const backup = readFileSync(file(dataDir));
      const second = await open(dataDir);
      assert.equal(await write(second), true);
      await second.close();
      writeFileSync(file(dataDir), backup);
      const third = await open(dataDir);
      assert.match(third.losses() ?? '', /^1 change is missing from /);
      await third.close();
    });

  it('raises one alarm, keeps its message until a user deletes it, and stores new changes', async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    await addGroup(first, 'kids');
    await first.close();
    const backup = readFileSync(file(dataDir));
    const second = await open(dataDir);
    for (const name of ['a', 'b', 'c']) await addGroup(second, name);
    await second.close();
    writeFileSync(file(dataDir), backup);
    const third = await open(dataDir);
    assert.match(third.alarms.join(), /^3 changes are missing from .*number 1, but number 4 was stored/);
    assert.deepEqual([third.origin, third.read.groups.size], ['existing', 2]);
    await addGroup(third, 'd');
    await third.close();
    const fourth = await open(dataDir);
    assert.deepEqual(fourth.alarms, []);
    assert.match(fourth.losses() ?? '', /3 changes are missing/);
    const [message] = await fourth.messages.list();
    assert.equal(message?.plain, fourth.losses());
    assert.equal(await fourth.messages.remove([message?.id ?? 0]), 1);
    assert.equal(fourth.losses(), undefined);
    await fourth.close();
  });

  it('and has no copy, after kill -9 and the loss of the log, is not treated as new', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    await addGroup(storage, 'kids');
    const killed = folder();
    cpSync(dataDir, killed, { recursive: true });
    await storage.close();
    rmSync(`${file(killed)}-wal`);
    const again = await open(killed);
    assert.equal(again.origin, 'reset');
    assert.match(again.losses() ?? '', /has no tables, .*There is no good copy.* Missing: 1 change\./);
    await again.close();
  });

  it('because its log is lost is replaced by the newest copy if that has more changes', async () => {
    const dataDir = folder();
    await (await open(dataDir)).close();
    const storage = await open(dataDir);
    for (const name of ['a', 'b']) await addGroup(storage, name);
    await maintainDatabase(dataDir, nowMs);
    await addGroup(storage, 'c');
    const killed = folder();
    cpSync(dataDir, killed, { recursive: true });
    await storage.close();
    rmSync(`${file(killed)}-wal`);
    const again = await open(killed);
    assert.deepEqual([again.origin, again.read.groups.size], ['restored', 3]);
    assert.match(again.losses() ?? '', /log is damaged or lost, .* was restored.* Missing: 1 change\./);
    await again.close();
  });

  it('because its log is damaged is used if the newest copy has no more changes', async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    await maintainDatabase(dataDir, nowMs);
    await first.close();
    const second = await open(dataDir);
    for (const name of ['a', 'b', 'c']) await addGroup(second, name);
    const killed = folder();
    cpSync(dataDir, killed, { recursive: true });
    await second.close();
    damages['byte early'](`${file(killed)}-wal`);
    const damaged = readFileSync(`${file(killed)}-wal`);
    const again = await open(killed);
    assert.deepEqual([again.origin, again.read.groups.size], ['existing', 1]);
    const [kept = 'none'] = /[^ ]+-wal(?=\.)/.exec(again.losses() ?? '') ?? [];
    assert.match(again.losses() ?? '', /^3 changes are missing/);
    assert.deepEqual(readFileSync(kept), damaged);
    await again.close();
  });

  it('is never reported falsely: after kill -9 following each of 30 changes, all changes exist', async () => {
    const dataDir = folder();
    const storage = await open(dataDir);
    for (let count = 1; count <= 30; count++) {
      await addGroup(storage, `group ${count}`);
      const killed = folder();
      cpSync(dataDir, killed, { recursive: true });
      const again = await open(killed);
      assert.deepEqual([again.read.groups.size, again.alarms], [count + 1, []]);
      await again.close();
    }
    await storage.close();
  });
});

describe('A high-water mark', () => {
  it('that cannot be written is reported as a problem, and changes are still stored', async () => {
    const dataDir = folder();
    mkdirSync(join(dataDir, 'sluice.db.last-change'));
    const storage = await open(dataDir);
    await addGroup(storage, 'kids');
    assert.match(storage.lossDetectionProblem() ?? '', /last-change.*Make the file writable/);
    await storage.close();
  });
});

describe('A copy that contains more than newer copies', () => {
  const dates = (dataDir: string): readonly string[] => listCopies(dataDir).map(({ date }) => date);
  const day = (number: number): string => new Date(nowMs + number * dayMs).toISOString().slice(0, 10);

  /** Three changes and a copy of them; then a database without changes replaces the file. */
  async function folderWithLoss(): Promise<string> {
    const dataDir = folder();
    const storage = await open(dataDir);
    for (const name of ['a', 'b', 'c']) await addGroup(storage, name);
    await maintainDatabase(dataDir, nowMs);
    await storage.close();
    const fresh = folder();
    await (await open(fresh)).close();
    cpSync(file(fresh), file(dataDir));
    return dataDir;
  }

  it('is kept in addition to the newest seven until one of them contains as much', async () => {
    const dataDir = await folderWithLoss();
    // Without a high-water mark and a message about the loss, only the copies show it.
    rmSync(`${file(dataDir)}.last-change`);
    const results = [];
    for (let count = 1; count <= limits.databaseCopies; count++)
      results.push(await maintainDatabase(dataDir, nowMs + count * dayMs));
    assert.deepEqual(results.at(-2), { state: 'good', copied: true });
    assert.deepEqual(results.at(-1), { state: 'good', copied: true, protectedCopies: [day(0)] });
    assert.equal(listCopies(dataDir).length, limits.databaseCopies + 1);
    rmSync(`${file(dataDir)}.checksum`);
    const later = await open(dataDir);
    assert.equal(later.losses(), undefined);
    for (const name of ['d', 'e', 'f']) await addGroup(later, name);
    await maintainDatabase(dataDir, nowMs + (limits.databaseCopies + 1) * dayMs);
    await later.close();
    assert.deepEqual([dates(dataDir).length, dates(dataDir).at(-1)], [limits.databaseCopies, day(2)]);
  });

  it('is not one that is larger only because of free pages, which a rebuilt file lacks', async () => {
    const dataDir = folder();
    await (await open(dataDir)).close();
    const database = new DatabaseSync(file(dataDir));
    database.exec(
      'create table filler (x); insert into filler values (zeroblob(2000000)); drop table filler',
    );
    await maintainDatabase(dataDir, nowMs);
    database.exec('vacuum');
    for (let count = 1; count <= limits.databaseCopies; count++)
      assert.deepEqual(await maintainDatabase(dataDir, nowMs + count * dayMs), {
        state: 'good',
        copied: true,
      });
    database.close();
    assert.deepEqual([dates(dataDir).length, dates(dataDir).at(-1)], [limits.databaseCopies, day(1)]);
  });

  it('is kept until the loss is acknowledged, also when later copies have higher numbers', async () => {
    const dataDir = await folderWithLoss();
    const storage = await open(dataDir);
    assert.match(storage.losses() ?? '', /^3 changes are missing/);
    for (let count = 1; count <= 10; count++) {
      await addGroup(storage, `group ${count}`);
      await maintainDatabase(dataDir, nowMs + count * dayMs);
    }
    assert.deepEqual([dates(dataDir).length, dates(dataDir).at(-1)], [limits.databaseCopies + 1, day(0)]);
    const [message] = await storage.messages.list();
    assert.equal(await storage.messages.remove([message?.id ?? 0]), 1);
    await maintainDatabase(dataDir, nowMs + 11 * dayMs);
    await storage.close();
    assert.deepEqual([dates(dataDir).length, dates(dataDir).at(-1)], [limits.databaseCopies, day(5)]);
  });

  it('is one of at most three protected copies, however many losses there were', async () => {
    const dataDir = await folderWithLoss();
    const empty = readFileSync(file(dataDir));
    // There is a copy before each loss. The messages of earlier losses are inserted into the new file again.
    const losses: string[] = [];
    for (let count = 1; count <= 12; count++) {
      writeFileSync(file(dataDir), empty);
      const storage = await open(dataDir, { nowMs: () => nowMs + count * dayMs });
      assert.notEqual(storage.losses(), undefined);
      await storage.close();
      const database = new DatabaseSync(file(dataDir));
      const insert = database.prepare(
        "insert or ignore into messages (at_ms, type, topic, key, plain) values (0, 'DISK', 'loss', ?, '')",
      );
      losses.push(String(database.prepare("select key from messages where topic = 'loss'").get()?.['key']));
      for (const key of losses) insert.run(key);
      database.close();
      rmSync(`${file(dataDir)}.checksum`, { force: true });
      const again = await open(dataDir);
      for (const name of ['d', 'e', 'f', 'g'].slice(0, 1 + (count % 4))) await addGroup(again, name);
      await maintainDatabase(dataDir, nowMs + count * dayMs);
      await again.close();
    }
    assert.deepEqual(new Set(losses).size, 12);
    assert.equal(listCopies(dataDir).length, limits.databaseCopies + limits.protectedCopies);
  });
});
