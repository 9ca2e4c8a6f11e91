import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { ChangeScope } from './change.ts';
import { clientTable } from './clients.ts';
import { domainTable } from './domains.ts';
import type { EntityTable } from './entity-table.ts';
import { groupTable } from './groups.ts';
import { listTable } from './lists.ts';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-entities-'));
after(() => rmSync(root, { recursive: true }));

async function open(): Promise<Storage> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

async function changed<T>({ change }: Storage, work: (scope: ChangeScope) => Promise<T>): Promise<T> {
  const outcome = await change('me', work);
  return outcome.ok ? outcome.value : assert.fail(outcome.problem);
}

interface Common {
  readonly comment: string | null;
}

/** The same steps for each kind: `first` and `second` are new items with different keys. */
function behavesAsEntity<
  Key,
  Fields extends Common,
  Item extends Key & Fields & { readonly id: number },
  New extends Key & Fields,
>(name: string, table: EntityTable<Key, Fields, Item, New>, first: New, second: New): void {
  it(`${name}: a used key is refused; an empty comment is null`, async () => {
    const storage = await open();
    const made = await changed(storage, (scope) => table.insert(scope, { ...first, comment: '' }));
    assert.ok(made);
    assert.equal(made.comment, null);
    assert.deepEqual(await changed(storage, (scope) => table.find(scope, first)), made);
    assert.equal(await changed(storage, (scope) => table.insert(scope, first)), undefined);
    assert.ok(await changed(storage, (scope) => table.insert(scope, second)));
    await storage.close();
  });

  it(`${name}: a removed item is restored with its id, unless its key is used again`, async () => {
    const storage = await open();
    const made = await changed(storage, (scope) => table.insert(scope, first));
    assert.ok(made);
    await changed(storage, (scope) => table.remove(scope, made));
    assert.equal(await changed(storage, (scope) => table.byId(scope, made.id)), undefined);
    assert.equal(await changed(storage, (scope) => table.restore(scope, undefined, made)), true);
    assert.deepEqual(await changed(storage, (scope) => table.byId(scope, made.id)), made);
    await changed(storage, async (scope) => {
      await table.remove(scope, made);
      await table.insert(scope, first);
    });
    assert.equal(await changed(storage, (scope) => table.restore(scope, undefined, made)), false);
    await storage.close();
  });
}

describe('storage of entities', () => {
  const fields = { comment: 'c', enabled: true, groups: [0], group_expiry: {}, expires_at: null };
  const domain = { type: 'deny', kind: 'exact', ...fields } as const;
  const list = { type: 'block', added_with: 'sudo', ...fields } as const;
  behavesAsEntity('groups', groupTable, { name: 'a', ...fields }, { name: 'b', ...fields });
  behavesAsEntity(
    'domains',
    domainTable,
    { ...domain, domain: 'a.example' },
    { ...domain, domain: 'a.example', kind: 'regex' },
  );
  behavesAsEntity(
    'lists',
    listTable,
    { ...list, address: 'https://a.example/' },
    { ...list, address: 'https://a.example/', type: 'allow' },
  );
  behavesAsEntity('clients', clientTable, { client: '10.0.0.1', ...fields }, { client: ':eth0', ...fields });

  it('a group cannot get the name of another one, and fields that are left out stay', async () => {
    const storage = await open();
    await changed(storage, async (scope) => {
      const made = await groupTable.insert(scope, { name: 'a', comment: null, enabled: true, privacy: 2 });
      assert.ok(made);
      const other = { comment: null, enabled: false };
      assert.equal(await groupTable.update(scope, made, { name: 'Default', ...other }), undefined);
      assert.equal((await groupTable.update(scope, made, other))?.privacy, 2);
    });
    await storage.close();
  });
});
