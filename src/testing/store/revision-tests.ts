// What every backend promises of revisions: what they say, how long they are kept, and that a large change is
// one restore point.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { limits } from '#contract';
import type { Storage } from '#store/database';
import { groupTable } from '#store/database/entities';
import { addGroup, fields, mustFind, recordMany, type WithStorage } from './scene.ts';

export function testRevisions(withStorage: WithStorage): void {
  it(
    'say who changed what, before and after, the newest first',
    withStorage(async ({ storage }) => {
      await addGroup(storage, 'a');
      await storage.change('you', async (scope) => {
        await groupTable.update(scope, await mustFind(scope, 'a'), fields('b'));
      });
      await storage.change('you', async (scope) => groupTable.remove(scope, await mustFind(scope, 'b')));
      const nameOf = (state: unknown): unknown => (state === null ? null : Object(state).name);
      const all = await storage.revisions.list(10);
      assert.deepEqual(
        all.map(({ actor, before, after }) => [actor, nameOf(before), nameOf(after)]),
        [
          ['you', 'b', null],
          ['you', 'a', 'b'],
          ['me', null, 'a'],
        ],
      );
      assert.equal(storage.read.groups.size, 1);
    }),
  );

  it(
    'come by pages, by id and by version',
    withStorage(async ({ storage }) => {
      await recordMany(storage, 3);
      await recordMany(storage, 2);
      const [newest, , third] = await storage.revisions.list(3);
      assert.ok(newest && third);
      const keys = async (filter: object): Promise<readonly string[]> =>
        (await storage.revisions.list(10, filter)).map(({ key }) => key);
      assert.deepEqual(await keys({ before: third.id }), ['k1', 'k0']);
      assert.deepEqual(await keys({ version: 2 }), ['k1', 'k0']);
      assert.deepEqual(await storage.revisions.itemsOf(3), { state: 'missing' });
    }),
  );
}

export function testRetention(withStorage: WithStorage): void {
  const count = async (storage: Storage): Promise<number> => (await storage.revisions.list(20_000)).length;

  it(
    `are kept for ${limits.revisionDays} days, to the millisecond`,
    withStorage(async ({ storage, clock }) => {
      await addGroup(storage, 'old');
      clock.nowMs += limits.revisionDays * 86_400_000;
      await addGroup(storage, 'new');
      assert.equal(await count(storage), 2);
      clock.nowMs += 1;
      await addGroup(storage, 'newer');
      assert.equal(await count(storage), 2);
    }),
  );

  it(
    `are at most ${limits.revisionCount}, and the oldest change is dropped whole`,
    withStorage(async ({ storage }) => {
      const each = limits.revisionsPerChange;
      for (let made = 0; made < limits.revisionCount; made += each) await recordMany(storage, each);
      assert.equal(await count(storage), limits.revisionCount);
      await addGroup(storage, 'one more');
      assert.equal(await count(storage), limits.revisionCount - each + 1);
      assert.deepEqual(await storage.revisions.itemsOf(1), { state: 'missing' });
    }),
  );
}

export function testRestorePoints(withStorage: WithStorage): void {
  const most = limits.revisionsPerChange;

  it(
    `has a revision of each up to ${most}`,
    withStorage(async ({ storage }) => {
      const version = await recordMany(storage, most);
      const rows = await storage.revisions.list(2 * most, { version });
      assert.deepEqual([rows.length, rows[0]?.restore_point], [most, undefined]);
    }),
  );

  it(
    'is one line above it, with all items in their order',
    withStorage(async ({ storage }) => {
      const version = await recordMany(storage, most + 1);
      const [line, ...others] = await storage.revisions.list(2 * most);
      assert.deepEqual(others, []);
      const entities = { setting: most + 1 };
      assert.deepEqual(line?.restore_point, { summary: '1,001 settings changed', entities });
      assert.deepEqual([line?.entity, line?.key, line?.before, line?.after], ['setting', '', null, null]);
      const all = await storage.revisions.itemsOf(version);
      assert.ok(all.state === 'found');
      assert.equal(all.items.length, most + 1);
      assert.deepEqual(all.items.at(-1), { entity: 'setting', key: 'k1000', before: null, after: '1000' });
    }),
  );

  it(
    `keeps its items while it is among the newest ${limits.restorePoints}; its line stays`,
    withStorage(async ({ storage }) => {
      for (let made = 0; made <= limits.restorePoints; made++) await recordMany(storage, most + 1);
      const all = await Promise.all([1, 2, limits.restorePoints + 1].map(storage.revisions.itemsOf));
      assert.deepEqual(
        all.map(({ state }) => state),
        ['not kept', 'found', 'found'],
      );
      assert.equal((await storage.revisions.list(100)).length, limits.restorePoints + 1);
    }),
  );

  it(
    'whose items are too long is listed, and not kept',
    withStorage(async ({ storage }) => {
      const note = 'x'.repeat(limits.restorePointBytes / most);
      const version = await recordMany(storage, most + 1, note);
      assert.deepEqual(await storage.revisions.itemsOf(version), { state: 'not kept' });
      assert.equal((await storage.revisions.list(100)).length, 1);
    }),
  );
}

export function testMasking(withStorage: WithStorage): void {
  for (const count of [1, limits.revisionsPerChange + 1])
    it(
      `has no password of a list in its revisions, with ${count} items`,
      withStorage(async ({ storage }) => {
        const before = { address: 'https://me:secret@x/' };
        const outcome = await storage.change('me', async ({ record }) => {
          for (let id = 1; id <= count; id++)
            record({ entity: 'list', key: String(id), before, after: null });
        });
        const all = await storage.revisions.itemsOf((outcome.ok ? outcome.version : undefined) ?? 0);
        assert.ok(all.state === 'found');
        assert.deepEqual(all.items[0]?.before, { address: 'https://********@x/' });
      }),
    );
}
