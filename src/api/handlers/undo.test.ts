import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { limits } from '#contract';
import { type ChangeScope, openStorage, type Storage } from '#store/database';
import { clientTable, domainTable, groupTable, listTable, putPause } from '#store/database/entities';
import { undoItems } from './undo.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-undo-'));
after(() => rmSync(root, { recursive: true }));

const fields = { comment: null, enabled: true, groups: [0], group_expiry: {}, expires_at: null };
function place(domain: string) {
  return { domain, type: 'deny', kind: 'exact' } as const;
}

async function open(): Promise<Storage> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

/** The version of the change. */
async function changed(storage: Storage, work: (scope: ChangeScope) => Promise<unknown>): Promise<number> {
  const outcome = await storage.change('me', work);
  return outcome.ok ? (outcome.version ?? 0) : assert.fail(outcome.problem);
}

/** The version of the undo, or why it was refused. */
async function undo(storage: Storage, version: number): Promise<number | string> {
  const all = await storage.revisions.itemsOf(version);
  if (all.state !== 'found') assert.fail(all.state);
  const outcome = await storage.change('me', (scope) => undoItems(scope, all.items, storage.read));
  if (!outcome.ok) assert.fail(outcome.problem);
  const hint = outcome.value?.hint;
  return typeof hint === 'string' ? hint : (outcome.version ?? 0);
}

/** All user-created data, without times of change. */
function stateOf({ read }: Storage): string {
  const { groups, domains, lists, clients, pauses } = read;
  const all = [groups, domains, lists, clients, pauses].map((items) => items.filter(() => true));
  const sorted = all.map((items) => items.toSorted((a, b) => a.id - b.id));
  return JSON.stringify(sorted, (name, value: unknown) => (name === 'date_modified' ? undefined : value));
}

async function groupWithMembers(scope: ChangeScope): Promise<void> {
  const group = await groupTable.insert(scope, { name: 'kids', comment: null, enabled: true });
  const groups = [0, group?.id ?? 0];
  await domainTable.insert(scope, { ...place('a.example'), ...fields, groups });
  await listTable.insert(scope, {
    address: 'https://l.example/',
    type: 'block',
    added_with: 'sudo',
    ...fields,
    groups,
  });
  await clientTable.insert(scope, { client: '10.0.0.1', ...fields, groups });
  await putPause(scope, { group_id: group?.id ?? 0 }, null);
}

async function changeDomain(scope: ChangeScope, domain: string, comment: string): Promise<void> {
  const found = await domainTable.find(scope, place(domain));
  assert.ok(found);
  await domainTable.update(scope, found, { ...place(domain), ...found, comment });
}

describe('the undo of a change', () => {
  const works: Readonly<Record<string, (scope: ChangeScope, storage: Storage) => Promise<unknown>>> = {
    'that created several items': groupWithMembers,
    'that deleted a group with members of all kinds': async (scope, { read }) => {
      const group = read.groups.get('old');
      assert.ok(group);
      await groupTable.remove(scope, group);
    },
    'that changed one item twice': async (scope) => {
      await changeDomain(scope, 'old.example', 'first');
      await changeDomain(scope, 'old.example', 'second');
    },
    'that created an item and changed it': async (scope) => {
      await domainTable.insert(scope, { ...place('new.example'), ...fields });
      await changeDomain(scope, 'new.example', 'later');
    },
    'that deleted an item and created it again': async (scope) => {
      const found = await domainTable.find(scope, place('old.example'));
      assert.ok(found);
      await domainTable.remove(scope, found);
      await domainTable.insert(scope, { ...place('old.example'), ...fields });
    },
  };
  for (const [what, work] of Object.entries(works))
    it(`${what} restores the state before it, and undoing the undo restores the state after it`, async () => {
      const storage = await open();
      await changed(storage, async (scope) => {
        const old = await groupTable.insert(scope, { name: 'old', comment: null, enabled: true });
        const groups = [old?.id ?? 0];
        await domainTable.insert(scope, { ...place('old.example'), ...fields, groups });
        await clientTable.insert(scope, { client: '10.0.0.9', ...fields, groups });
        await putPause(scope, { group_id: old?.id ?? 0 }, null);
      });
      const before = stateOf(storage);
      const version = await changed(storage, (scope) => work(scope, storage));
      const later = stateOf(storage);
      assert.notEqual(later, before);
      assert.equal(await undo(storage, version), version + 1);
      assert.equal(stateOf(storage), before);
      assert.equal(await undo(storage, version + 1), version + 2);
      assert.equal(stateOf(storage), later);
      await storage.close();
    });

  it('is refused as a whole when one item has changed since', async () => {
    const storage = await open();
    const version = await changed(storage, async (scope) => {
      for (const name of ['a', 'b', 'c'])
        await domainTable.insert(scope, { ...place(`${name}.example`), ...fields });
    });
    await changed(storage, (scope) => changeDomain(scope, 'a.example', 'later'));
    const before = stateOf(storage);
    assert.equal(await undo(storage, version), 'The domain a.example has been changed again since.');
    assert.equal(stateOf(storage), before);
    assert.equal((await storage.revisions.list(1))[0]?.version, version + 1);
    await storage.close();
  });

  it('is refused as a whole when it would exceed a limit', async () => {
    const storage = await open();
    const list = (at: number) =>
      ({ address: `https://l.example/${at}`, type: 'block', added_with: 'sudo' }) as const;
    const made = await changed(storage, async (scope) => {
      for (const at of [1, 2, 3]) await listTable.insert(scope, { ...list(at), ...fields });
    });
    const removal = await undo(storage, made);
    await changed(storage, async (scope) => {
      for (let at = 0; storage.read.lists.size + at < limits.lists - 2; at++)
        await listTable.insert(scope, { ...list(1_000 + at), ...fields });
    });
    const before = stateOf(storage);
    assert.equal(await undo(storage, Number(removal)), `There may be ${limits.lists} lists.`);
    assert.equal(stateOf(storage), before);
    await storage.close();
  });
});
