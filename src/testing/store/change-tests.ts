// What every backend promises of a change: `Change` in store/database/change.ts lists it.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { limits } from '#contract';
import type { Changed, Storage } from '#store/database';
import { groupTable } from '#store/database/entities';
import { addGroup, fields, mustFind, type WithStorage } from './scene.ts';

export function testAtomicity(withStorage: WithStorage): void {
  it(
    'is in the read model when it is acknowledged, and there again after a restart',
    withStorage(async ({ storage, reopen }) => {
      const outcome = await storage.change('me', (scope) => groupTable.insert(scope, fields('kids')));
      assert.ok(outcome.ok && outcome.value);
      assert.deepEqual(storage.read.groups.get('kids'), outcome.value);
      const again = await reopen();
      assert.deepEqual(again.read.groups.get('kids'), outcome.value);
    }),
  );

  it(
    'leaves nothing when its work throws, and the caller gets the error',
    withStorage(async ({ storage }) => {
      const events: Changed[] = [];
      storage.subscribe((changes) => events.push(...changes));
      const work = storage.change('me', async (scope) => {
        await groupTable.insert(scope, fields('ghost'));
        throw new Error('half way');
      });
      await assert.rejects(work, /half way/);
      await assertUntouched(storage, 'ghost', events);
    }),
  );

  it(
    'leaves nothing when its work abandons it, and the caller gets the value',
    withStorage(async ({ storage }) => {
      const events: Changed[] = [];
      storage.subscribe((changes) => events.push(...changes));
      const outcome = await storage.change('me', async (scope) => {
        await groupTable.insert(scope, fields('ghost'));
        scope.abandon();
        return 'refused';
      });
      assert.deepEqual(outcome, { ok: true, value: 'refused', version: undefined });
      await assertUntouched(storage, 'ghost', events);
    }),
  );

  it(
    'reports a name that is taken as a value',
    withStorage(async ({ storage }) => {
      const again = await storage.change('me', (scope) => groupTable.insert(scope, fields('Default')));
      assert.deepEqual(again, { ok: true, value: undefined, version: undefined });
    }),
  );
}

/** No trace of the group; its name and the next version are free. */
async function assertUntouched(storage: Storage, name: string, events: readonly Changed[]): Promise<void> {
  assert.equal(storage.read.groups.get(name), undefined);
  assert.deepEqual([events, await storage.revisions.list(10)], [[], []]);
  assert.equal(await addGroup(storage, name), 1);
}

export function testOrder(withStorage: WithStorage): void {
  it(
    'waits for the one before it, and finds it in the read model',
    withStorage(async ({ storage }) => {
      const steps: string[] = [];
      const names = Array.from({ length: 50 }, (_, index) => `g${index}`);
      const changes = names.map((name) =>
        storage.change('me', async (scope) => {
          steps.push(`${name} begins with ${storage.read.groups.size}`);
          await groupTable.insert(scope, fields(name));
          await new Promise((resolve) => setImmediate(resolve));
          steps.push(`${name} ends`);
        }),
      );
      await Promise.all(changes);
      const inTurn = names.flatMap((name, index) => [`${name} begins with ${index + 1}`, `${name} ends`]);
      assert.deepEqual(steps, inTurn);
      assert.equal(storage.read.groups.size, 51);
    }),
  );

  it(
    `waits with up to ${limits.waitingChanges} others, and one more is busy`,
    withStorage(async ({ storage }) => {
      let runs = 0;
      const change = () => storage.change('me', async () => void runs++);
      const all = await Promise.all(Array.from({ length: limits.waitingChanges + 1 }, change));
      assert.equal(all.filter(({ ok }) => ok).length, limits.waitingChanges);
      const refused = all.at(-1);
      assert.ok(refused && !refused.ok && refused.trouble === 'busy');
      assert.deepEqual([runs, storage.trouble()], [limits.waitingChanges, undefined]);
      assert.ok((await change()).ok);
    }),
  );
}

export function testSubscribers(withStorage: WithStorage): void {
  it(
    'reaches the read model first, then subscribers in their order, then the caller',
    withStorage(async ({ storage }) => {
      const steps: string[] = [];
      const note = (who: string) => (changes: readonly Changed[], version: number | undefined) =>
        steps.push(`${who}: ${changes.length} of ${version}, ${storage.read.groups.size} groups`);
      storage.subscribe(note('first'));
      storage.subscribe(note('second'));
      for (const name of ['a', 'b']) steps.push(`caller: ${await addGroup(storage, name)}`);
      assert.deepEqual(steps, [
        'first: 1 of 1, 2 groups',
        'second: 1 of 1, 2 groups',
        'caller: 1',
        'first: 1 of 2, 3 groups',
        'second: 1 of 2, 3 groups',
        'caller: 2',
      ]);
    }),
  );

  it(
    'that found nothing to change calls no subscriber',
    withStorage(async ({ storage }) => {
      storage.subscribe(() => assert.fail('A subscriber was called.'));
      assert.ok((await storage.change('me', async () => undefined)).ok);
    }),
  );

  it(
    'of which nothing but a report is recorded calls subscribers, and has no version and no revision',
    withStorage(async ({ storage }) => {
      const versions: unknown[] = [];
      storage.subscribe((_changes, version) => versions.push(version));
      const outcome = await storage.change('service', async ({ record }) =>
        record({ entity: 'setting', key: 'x', before: null, after: 1, isReport: true }),
      );
      assert.equal(outcome.ok && outcome.version, undefined);
      assert.deepEqual([versions, await storage.revisions.list(1)], [[undefined], []]);
    }),
  );
}

export function testVersions(withStorage: WithStorage): void {
  it(
    'follow each other without a gap, also after a restart',
    withStorage(async ({ storage, reopen }) => {
      assert.deepEqual([await addGroup(storage, 'a'), await addGroup(storage, 'b')], [1, 2]);
      const again = await reopen();
      assert.equal(await addGroup(again, 'c'), 3);
    }),
  );

  it(
    'go on when all earlier revisions have been dropped',
    withStorage(async ({ storage, clock, reopen }) => {
      await addGroup(storage, 'a');
      clock.nowMs += limits.revisionDays * 86_400_000 + 1;
      await addGroup(storage, 'b');
      const again = await reopen();
      assert.equal(await addGroup(again, 'c'), 3);
    }),
  );

  it(
    'are those of all revisions of a change',
    withStorage(async ({ storage }) => {
      await addGroup(storage, 'a');
      await storage.change('me', async (scope) => {
        for (const name of ['b', 'c']) await groupTable.insert(scope, fields(name));
      });
      const all = await storage.revisions.list(10);
      assert.deepEqual(
        all.map(({ version }) => version),
        [2, 2, 1],
      );
    }),
  );

  it(
    'and ids of entities are never given twice',
    withStorage(async ({ storage }) => {
      const add = () => storage.change('me', (scope) => groupTable.insert(scope, fields('a')));
      const first = await add();
      await storage.change('me', async (scope) => groupTable.remove(scope, await mustFind(scope, 'a')));
      const second = await add();
      assert.ok(first.ok && first.value && second.ok && second.value);
      assert.ok(second.value.id > first.value.id);
    }),
  );
}
