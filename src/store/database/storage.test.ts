import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { until } from '../../../test/running/waiting.ts';
import { domainTable } from './domains.ts';
import { groupTable } from './groups.ts';
import { sqliteDialect } from '#platform/sqlite';
import { backBefore } from '#testing/store/old-tables';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-storage-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
const nowMs = 1_700_000_000_000;
async function open(
  dataDir = mkdtempSync(join(root, `${folders++}-`)),
): Promise<Storage & { dataDir: string }> {
  const storage = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  return { ...storage, dataDir };
}
function rows(dataDir: string, text: string) {
  const database = new DatabaseSync(join(dataDir, 'sluice.db'), { readOnly: true });
  const found = database.prepare(text).all();
  database.close();
  return found;
}
const fields = (name: string) => ({ name, comment: null, enabled: true });

describe('changes while another program holds the database', () => {
  const hold = (dataDir: string): DatabaseSync => {
    const other = new DatabaseSync(join(dataDir, 'sluice.db'));
    other.exec('begin immediate');
    return other;
  };
  /** Enough turns of the event loop for a change to begin if it did not wait for the lock. */
  const someTurns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const addMany = (storage: Storage, onSettled: (index: number) => void = () => undefined) => {
    const names = Array.from({ length: 12 }, (_, index) => `g${index}`);
    const changes = names.map((name) =>
      storage.change('me', (scope) => groupTable.insert(scope, fields(name))),
    );
    changes.forEach((change, index) => void change.finally(() => onSettled(index)));
    return Promise.all(changes);
  };

  it('wait in the driver, because SQLite would block the whole thread', () => {
    const database = new DatabaseSync(':memory:', { timeout: 2_000 });
    sqliteDialect(database);
    assert.deepEqual({ ...database.prepare('pragma busy_timeout').get() }, { timeout: 0 });
    database.close();
  });

  it('succeed when the lock is released, and do not block the thread meanwhile', async () => {
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

  it('fail together after one timeout, and later changes succeed when the lock is released', async () => {
    const storage = await open();
    const other = hold(storage.dataDir);
    const settled: number[] = [];
    const changes = addMany(storage, (index) => settled.push(index));
    await until('the first change is refused', () => settled.length > 0 || undefined);
    await new Promise((resolve) => setImmediate(resolve));
    // One timeout for all of them, not one after the other.
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

  it('do not start before the lock is released, so no work runs twice', async () => {
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
  it('reports each migration of an existing database, and none of a new one', async () => {
    const reports: string[] = [];
    const dataDir = mkdtempSync(join(root, `${folders++}-`));
    const openAndClose = async (): Promise<void> => {
      const onMigration = (name: string): unknown => reports.push(name);
      const storage = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail, onMigration });
      if (typeof storage === 'string') assert.fail(storage);
      await storage.close();
    };
    await openAndClose();
    const database = new DatabaseSync(join(dataDir, 'sluice.db'));
    backBefore(database, '0010');
    database.close();
    await openAndClose();
    await openAndClose();
    assert.deepEqual(reports, [
      '0010-no-passwords-in-revisions',
      '0011-versions-of-changes',
      '0012-no-stored-fallback-ports',
    ]);
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

  it('distinguishes a new file from an existing one', async () => {
    const first = await open();
    assert.equal(first.origin, 'new');
    await first.close();
    const second = await open(first.dataDir);
    assert.equal(second.origin, 'existing');
    await second.close();
  });

  it('rolls back all migrations when one of them fails', async () => {
    const storage = await open();
    await storage.close();
    const path = join(storage.dataDir, 'sluice.db');
    const database = new DatabaseSync(path);
    // As an earlier release left it, except for a table that makes a later migration fail.
    backBefore(database, '0004');
    database.close();
    const options = { dataDir: storage.dataDir, nowMs: () => nowMs, onDamaged: assert.fail };
    const refused = await openStorage(options);
    assert.match(typeof refused === 'string' ? refused : '', /table messages already exists/);
    const refusing = new DatabaseSync(path);
    const columns = refusing.prepare('pragma table_info(groups)').all();
    assert.ok(!columns.some(({ name }) => name === 'schedules'));
    refusing.exec('drop table messages');
    refusing.close();
    const repaired = await open(storage.dataDir);
    await repaired.close();
  });

  it('gives the rules of an earlier release their canonical spelling', async () => {
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
    const migrated = await open(storage.dataDir);
    const key = { domain: 'ads.example', type: 'deny', kind: 'exact' } as const;
    const rest = { comment: null, enabled: true, expires_at: null, groups: [0], group_expiry: {} };
    const again = await migrated.change('me', (scope) => domainTable.insert(scope, { ...key, ...rest }));
    await migrated.close();
    assert.deepEqual([again.ok, again.ok && again.value], [true, undefined]);
    assert.deepEqual(
      rows(storage.dataDir, 'select domain from domains order by id').map(({ domain }) => domain),
      // Two spellings of the same rule both stay, because their groups may differ.
      ['ads.example', 'b.example;important', 'twice.example', 'TWICE.example', '^Ads[0-9]', 'no rule at all'],
    );
  });

  it('flags the lists of an earlier release, and masks passwords in its revisions', async () => {
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

  it('refuses a database of a newer release with an explanation', async () => {
    const storage = await open();
    await storage.close();
    const database = new DatabaseSync(join(storage.dataDir, 'sluice.db'));
    database.exec("insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099')");
    database.close();
    const refused = await openStorage({
      dataDir: storage.dataDir,
      nowMs: () => nowMs,
      onDamaged: assert.fail,
    });
    assert.ok(typeof refused === 'string');
    assert.match(refused, /a newer version of the service wrote this database/);
  });

  it('refuses a file that cannot be opened with an explanation', async () => {
    const dataDir = mkdtempSync(join(root, 'folder-'));
    mkdirSync(join(dataDir, 'sluice.db'));
    const refused = await openStorage({ dataDir, nowMs: () => nowMs, onDamaged: assert.fail });
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
    assert.match(second.read.domains.problem ?? 'none', /no such table: domains/);
    assert.equal(second.read.groups.size, 1);
    await second.close();
  });
});
