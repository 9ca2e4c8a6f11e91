import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { until } from '../../../test/running/waiting.ts';
import { insertDomain } from './domains.ts';
import { insertGroup } from './groups.ts';
import { sqliteDialect } from '#platform/sqlite';
import { backBefore } from '#testing/store/old-tables';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-storage-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
const nowMs = 1_700_000_000_000;
const open = async (
  dataDir = mkdtempSync(join(root, `${folders++}-`)),
): Promise<Storage & { dataDir: string }> => {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onBroken: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  return { ...storage, dataDir };
};
const rows = (dataDir: string, text: string) => {
  const database = new DatabaseSync(join(dataDir, 'sluice.db'), { readOnly: true });
  const found = database.prepare(text).all();
  database.close();
  return found;
};
const fields = (name: string) => ({ name, comment: null, enabled: true });

describe('changes while another program holds the database', () => {
  const hold = (dataDir: string): DatabaseSync => {
    const other = new DatabaseSync(join(dataDir, 'sluice.db'));
    other.exec('begin immediate');
    return other;
  };
  /** In which a change that did not wait for the lock would have begun. They cost none of its patience. */
  const someTurns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const addMany = (storage: Storage, onSettled: (index: number) => void = () => undefined) => {
    const names = Array.from({ length: 12 }, (_, index) => `g${index}`);
    const changes = names.map((name) => storage.change('me', (scope) => insertGroup(scope, fields(name))));
    changes.forEach((change, index) => void change.finally(() => onSettled(index)));
    return Promise.all(changes);
  };

  it('leave the waiting to the driver: SQLite itself would stop the whole thread', () => {
    const database = new DatabaseSync(':memory:', { timeout: 2_000 });
    sqliteDialect(database);
    assert.deepEqual({ ...database.prepare('pragma busy_timeout').get() }, { timeout: 0 });
    database.close();
  });

  it('succeed once it lets go, and other turns come meanwhile', async () => {
    const storage = await open();
    const other = hold(storage.dataDir);
    const changes = addMany(storage);
    await someTurns();
    assert.equal(storage.read.groups.size, 1);
    other.exec('rollback');
    other.close();
    assert.ok((await changes).every(({ ok }) => ok));
    assert.equal(storage.read.groups.size, 13);
    await storage.close();
  });

  it('fail together after a while, and succeed when the database is free', async () => {
    const storage = await open();
    const other = hold(storage.dataDir);
    const settled: number[] = [];
    const changes = addMany(storage, (index) => settled.push(index));
    await until('the first change is refused', () => settled.length > 0 || undefined);
    await new Promise((resolve) => setImmediate(resolve));
    // One patience for all of them, and not one after the other.
    assert.equal(settled.length, 12);
    const outcomes = await changes;
    const problems = new Set(outcomes.map((outcome) => (outcome.ok ? 'done' : outcome.problem)));
    assert.deepEqual([...problems], ['another program holds the database (database is locked)']);
    assert.match(storage.trouble() ?? '', /another program holds/);
    other.exec('rollback');
    other.close();
    assert.ok((await addMany(storage)).every(({ ok }) => ok));
    assert.equal(storage.trouble(), undefined);
    await storage.close();
  });

  it('do not start before the database is free, so nothing runs twice', async () => {
    const storage = await open();
    const other = hold(storage.dataDir);
    let begun = 0;
    const change = storage.change('me', async () => (begun += 1));
    await someTurns();
    assert.equal(begun, 0);
    other.close();
    assert.deepEqual(await change, { ok: true, value: 1, version: undefined });
    await storage.close();
  });
});

describe('opening', () => {
  it('tells of each migration of an existing database, and of none of a new one', async () => {
    const told: string[] = [];
    const dataDir = mkdtempSync(join(root, `${folders++}-`));
    const openTelling = async (): Promise<void> => {
      const onMigration = (name: string): unknown => told.push(name);
      const storage = await openStorage({ dataDir, nowMs: () => nowMs, onBroken: assert.fail, onMigration });
      if (typeof storage === 'string') assert.fail(storage);
      await storage.close();
    };
    await openTelling();
    const database = new DatabaseSync(join(dataDir, 'sluice.db'));
    backBefore(database, '0010');
    database.close();
    await openTelling();
    await openTelling();
    assert.deepEqual(told, ['0010-no-passwords-in-revisions', '0011-versions-of-changes']);
  });

  it('migrates a revision whose text is damaged', async () => {
    const first = await open();
    await first.close();
    const database = new DatabaseSync(join(first.dataDir, 'sluice.db'));
    backBefore(database, '0010');
    const columns = '(at_ms, actor, entity, key, before, after)';
    database.exec(`insert into revisions ${columns} values (1, 'me', 'list', '1', '{"a@', null)`);
    database.close();
    const second = await open(first.dataDir);
    await second.close();
  });

  it('tells a new file from one that was there', async () => {
    const first = await open();
    assert.equal(first.origin, 'new');
    await first.close();
    const second = await open(first.dataDir);
    assert.equal(second.origin, 'existing');
    await second.close();
  });

  it('migrates the database as a whole or not at all', async () => {
    const storage = await open();
    await storage.close();
    const path = join(storage.dataDir, 'sluice.db');
    const database = new DatabaseSync(path);
    // As an earlier version left it, but for a table that is in the way of a later step.
    backBefore(database, '0004');
    database.close();
    const options = { dataDir: storage.dataDir, nowMs: () => nowMs, onBroken: assert.fail };
    const refused = await openStorage(options);
    assert.match(typeof refused === 'string' ? refused : '', /table messages already exists/);
    const refusing = new DatabaseSync(path);
    const columns = refusing.prepare('pragma table_info(groups)').all();
    assert.ok(!columns.some(({ name }) => name === 'schedules'));
    refusing.exec('drop table messages');
    refusing.close();
    const mended = await open(storage.dataDir);
    await mended.close();
  });

  it("an older version's rules get their canonical spelling", async () => {
    const storage = await open();
    await storage.close();
    const database = new DatabaseSync(join(storage.dataDir, 'sluice.db'));
    const add = database.prepare(
      "insert into domains (domain, type, kind, date_added, date_modified) values (?, 'deny', ?, 1, 1)",
    );
    for (const [domain, kind] of [
      ['Ads.Example', 'exact'],
      ['b.example;IMPORTANT', 'exact'],
      ['twice.example', 'exact'],
      ['TWICE.example', 'exact'],
      ['^Ads[0-9]', 'regex'],
      ['no rule at all', 'exact'],
    ] as const)
      add.run(domain, kind);
    backBefore(database, '0008');
    database.close();
    const mended = await open(storage.dataDir);
    const place = { domain: 'ads.example', type: 'deny', kind: 'exact' } as const;
    const rest = { comment: null, enabled: true, expires_at: null, groups: [0], group_expiry: {} };
    const again = await mended.change('me', (scope) => insertDomain(scope, place, rest));
    await mended.close();
    assert.deepEqual([again.ok, again.ok && again.value], [true, undefined]);
    assert.deepEqual(
      rows(storage.dataDir, 'select domain from domains order by id').map(({ domain }) => domain),
      // Two that are there in both spellings both stay: they may be for different groups.
      ['ads.example', 'b.example;important', 'twice.example', 'TWICE.example', '^Ads[0-9]', 'no rule at all'],
    );
  });

  it("an older version's lists are marked as such, and its revisions lose passwords", async () => {
    const storage = await open();
    await storage.close();
    const database = new DatabaseSync(join(storage.dataDir, 'sluice.db'));
    backBefore(database, '0009');
    const item = JSON.stringify({ id: 7, address: 'https://me:secret@lists.example/', comment: 'a@b' });
    database
      .prepare("insert into revisions (at_ms, actor, entity, key, after) values (?, 'me', 'list', '7', ?)")
      .run(nowMs, item);
    database.exec(`
      insert into lists (address, type, date_added, date_modified) values ('http://127.0.0.1/', 'block', 1, 1)`);
    database.close();
    const migrated = await open(storage.dataDir);
    const rights = migrated.read.lists.filter(() => true).map(({ added_with }) => added_with);
    const [revision] = await migrated.revisions.list(1, undefined);
    await migrated.close();
    assert.deepEqual(rights, ['sudo', 'sudo', 'earlier']);
    const masked = { id: 7, address: 'https://********@lists.example/', comment: 'a@b' };
    assert.deepEqual(revision?.after, masked);
  });

  it('a database of a newer version is refused with an explanation', async () => {
    const storage = await open();
    await storage.close();
    const database = new DatabaseSync(join(storage.dataDir, 'sluice.db'));
    database.exec("insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099')");
    database.close();
    const refused = await openStorage({
      dataDir: storage.dataDir,
      nowMs: () => nowMs,
      onBroken: assert.fail,
    });
    assert.ok(typeof refused === 'string');
    assert.match(refused, /a newer version of the service wrote this database/);
  });

  it('a file that cannot be opened is refused with an explanation', async () => {
    const dataDir = mkdtempSync(join(root, 'folder-'));
    mkdirSync(join(dataDir, 'sluice.db'));
    const refused = await openStorage({ dataDir, nowMs: () => nowMs, onBroken: assert.fail });
    assert.ok(typeof refused === 'string');
    assert.match(refused, /sluice\.db cannot be opened: .*Make it a file/);
  });
});

describe('domains that cannot be read', () => {
  it('do not prevent the rest from being read', async () => {
    const first = await open();
    await first.close();
    const database = new DatabaseSync(join(first.dataDir, 'sluice.db'));
    database.exec('drop table domain_groups; drop table domains');
    database.close();
    const second = await open(first.dataDir);
    assert.match(second.read.domainsProblem ?? 'none', /no such table: domains/);
    assert.equal(second.read.groups.size, 1);
    await second.close();
  });
});
