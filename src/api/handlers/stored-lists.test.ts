import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { backBefore } from '#testing/store/old-tables';
import { undoItems } from './undo.ts';
import { type Changed, type ChangeScope, openStorage, type Storage } from '#store/database';
import {
  clientTable,
  defaultSubscription,
  findLists,
  groupTable,
  type ListFields,
  listStatus,
  listTable,
  reportList,
} from '#store/database/entities';

const root = mkdtempSync(join(tmpdir(), 'sluice-lists-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
function newFolder(): string {
  return mkdtempSync(join(root, `${folders++}-`));
}
async function open(dataDir = newFolder()): Promise<Storage & { dataDir: string }> {
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  return { ...storage, dataDir };
}
/** The result of a change; the test fails if the change is refused. */
async function changed<T>({ change }: Storage, work: (scope: ChangeScope) => Promise<T>): Promise<T> {
  const outcome = await change('me', work);
  assert.ok(outcome.ok);
  return outcome.value;
}
const place = { address: 'https://lists.example/hosts', type: 'block', added_with: 'sudo' } as const;
const fields: ListFields = { comment: null, enabled: true, groups: [0], group_expiry: {} };
const report = {
  date_updated: 1_700_000_100,
  number: 118_000,
  invalid_domains: 2,
  abp_entries: 3,
  status: listStatus.downloaded,
  held: true,
};
async function revisionCount({ revisions }: Storage): Promise<number> {
  return (await revisions.list(1_000, undefined)).length;
}

describe('the report of a list update', () => {
  it('is in the read model, the reply and the database, and in no revision', async () => {
    const storage = await open();
    const list = await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields }));
    assert.ok(list);
    const before = await revisionCount(storage);
    const events: Changed[] = [];
    storage.subscribe((changes) => events.push(...changes));
    storage.read.lists.serialised();
    const reported = await changed(storage, (scope) => reportList(scope, list.id, report));
    assert.deepEqual(reported, { ...list, ...report });
    assert.deepEqual(storage.read.lists.get(listTable.keyOf(place)), reported);
    assert.match(storage.read.lists.serialised().openJson, /"number":118000/);
    assert.deepEqual(
      events.map(({ entity, isReport }) => [entity, isReport]),
      [['list', true]],
    );
    assert.equal(await revisionCount(storage), before);
    await storage.close();
    const again = await open(storage.dataDir);
    assert.deepEqual(again.read.lists.get(listTable.keyOf(place)), reported);
    await again.close();
  });

  it('does not change other fields, and ignores a deleted list', async () => {
    const storage = await open();
    const list = await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields }));
    assert.ok(list);
    await changed(storage, (scope) => reportList(scope, list.id, report));
    const { unavailableWithCopy: status } = listStatus;
    const later = await changed(storage, (scope) => reportList(scope, list.id, { status }));
    assert.deepEqual(later, { ...list, ...report, status });
    assert.equal(await changed(storage, (scope) => reportList(scope, 4_711, report)), undefined);
    await storage.close();
  });

  it('does not prevent the undo of a change, and is not undone itself', async () => {
    const storage = await open();
    const list = await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields }));
    assert.ok(list);
    await changed(storage, (scope) => listTable.update(scope, list, { ...fields, comment: 'new' }));
    const [revision] = await storage.revisions.list(1, undefined);
    await changed(storage, (scope) => reportList(scope, list.id, report));
    const refused = await changed(storage, async (scope) => {
      assert.ok(revision);
      return undoItems(scope, [revision], storage.read);
    });
    assert.equal(refused, undefined);
    assert.deepEqual(storage.read.lists.get(listTable.keyOf(place)), { ...list, ...report });
    await storage.close();
  });
});

describe('a list', () => {
  it('has the status "not processed" after it is enabled again or its deletion is undone', async () => {
    const storage = await open();
    const made = await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields }));
    assert.ok(made);
    const reported = await changed(storage, (scope) => reportList(scope, made.id, report));
    assert.ok(reported);
    const off = await changed(storage, (scope) =>
      listTable.update(scope, reported, { ...fields, enabled: false }),
    );
    assert.ok(off);
    assert.equal(off.status, listStatus.downloaded);
    const on = await changed(storage, (scope) => listTable.update(scope, off, fields));
    assert.ok(on);
    assert.deepEqual([on.status, on.number], [listStatus.notProcessed, report.number]);
    await changed(storage, (scope) => listTable.remove(scope, on));
    const [revision] = await storage.revisions.list(1, undefined);
    assert.ok(revision);
    await changed(storage, (scope) => undoItems(scope, [revision], storage.read));
    const back = storage.read.lists.get(listTable.keyOf(place));
    assert.deepEqual([back?.id, back?.status, back?.number, back?.groups], [made.id, 0, 0, [0]]);
    await storage.close();
  });

  it('is unique by address and type; a duplicate is a value, not an error', async () => {
    const storage = await open();
    const allow = { ...place, type: 'allow' } as const;
    assert.ok(await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields })));
    assert.ok(await changed(storage, (scope) => listTable.insert(scope, { ...allow, ...fields })));
    assert.equal(
      await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields })),
      undefined,
    );
    const found = await changed(storage, (scope) => findLists(scope, allow));
    assert.deepEqual(
      found.map(({ type }) => type),
      ['allow'],
    );
    await storage.close();
  });
});

describe('clients', () => {
  it('can be created, changed, deleted and restored with the old id, without deleted groups', async () => {
    const storage = await open();
    const group = await changed(storage, (scope) =>
      groupTable.insert(scope, { name: 'kids', comment: null, enabled: true }),
    );
    assert.ok(group);
    const client = await changed(storage, (scope) =>
      clientTable.insert(scope, {
        client: '10.0.0.1',
        comment: 'c',
        groups: [0, group.id],
        group_expiry: { [group.id]: 9 },
      }),
    );
    assert.ok(client);
    assert.equal(await changed(storage, (scope) => clientTable.insert(scope, client)), undefined);
    assert.deepEqual(storage.read.clients.get('10.0.0.1'), client);
    await changed(storage, (scope) => clientTable.update(scope, client, { ...client, comment: '' }));
    assert.equal(
      (await changed(storage, (scope) => clientTable.find(scope, { client: '10.0.0.1' })))?.comment,
      null,
    );
    await changed(storage, (scope) => clientTable.remove(scope, client));
    const [deletion] = await storage.revisions.list(1, undefined);
    assert.ok(deletion);
    await changed(storage, (scope) => groupTable.remove(scope, group));
    await changed(storage, (scope) => undoItems(scope, [deletion], storage.read));
    const back = storage.read.clients.get('10.0.0.1');
    assert.deepEqual([back?.id, back?.groups, back?.group_expiry], [client.id, [0], {}]);
    await storage.close();
  });
});

describe('a deleted group', () => {
  it('is removed from lists and clients, each with a revision', async () => {
    const storage = await open();
    const { id } = (await changed(storage, async (scope) => {
      await groupTable.insert(scope, { name: 'gone', comment: null, enabled: true });
      return groupTable.find(scope, { name: 'gone' });
    })) ?? { id: -1 };
    const memberships = { groups: [0, id], group_expiry: { [id]: 4_000_000_000 } };
    await changed(storage, (scope) => listTable.insert(scope, { ...place, ...fields, ...memberships }));
    await changed(storage, (scope) =>
      clientTable.insert(scope, { client: ':eth0', comment: null, ...memberships }),
    );
    await changed(storage, async (scope) => {
      const group = await groupTable.find(scope, { name: 'gone' });
      assert.ok(group);
      await groupTable.remove(scope, group);
    });
    const [list, client] = [
      storage.read.lists.get(listTable.keyOf(place)),
      storage.read.clients.get(':eth0'),
    ];
    assert.deepEqual([list?.groups, list?.group_expiry], [[0], {}]);
    assert.deepEqual([client?.groups, client?.group_expiry], [[0], {}]);
    const entities = (await storage.revisions.list(3, undefined)).map(({ entity }) => entity);
    assert.deepEqual(entities, ['group', 'client', 'list']);
    await storage.close();
  });
});

describe('a database', () => {
  const tables = ['list_groups', 'lists', 'client_groups', 'clients'];

  it('that is new has the default subscription, for all clients', async () => {
    const storage = await open();
    const { address } = defaultSubscription;
    const list = storage.read.lists.get(listTable.keyOf({ address, type: 'block' }));
    assert.deepEqual([list?.enabled, list?.groups, list?.status], [true, [0], 0]);
    await storage.close();
  });

  it('of an earlier version is migrated with all its content', async () => {
    const first = await open();
    await changed(first, (scope) => groupTable.insert(scope, { name: 'kept', comment: null, enabled: true }));
    await first.close();
    const database = new DatabaseSync(join(first.dataDir, 'sluice.db'));
    backBefore(database, '0004');
    for (const table of tables) database.exec(`drop table ${table}`);
    database.exec("drop table messages; delete from kysely_migration where name >= '0003'");
    database.close();
    const second = await open(first.dataDir);
    assert.equal(second.origin, 'existing');
    assert.ok(second.read.groups.get('kept'));
    assert.deepEqual([second.read.lists.problem, second.read.clients.problem], [undefined, undefined]);
    assert.ok(await changed(second, (scope) => listTable.insert(scope, { ...place, ...fields })));
    assert.ok(
      await changed(second, (scope) =>
        clientTable.insert(scope, { client: '::1', ...fields, comment: null }),
      ),
    );
    await second.close();
  });

  it('whose lists and clients cannot be read still has its groups', async () => {
    const first = await open();
    await first.close();
    const database = new DatabaseSync(join(first.dataDir, 'sluice.db'));
    for (const table of tables) database.exec(`drop table ${table}`);
    database.close();
    const second = await open(first.dataDir);
    assert.match(second.read.lists.problem ?? 'none', /no such table: lists/);
    assert.match(second.read.clients.problem ?? 'none', /no such table: clients/);
    assert.equal(second.read.groups.size, 1);
    await second.close();
  });
});
