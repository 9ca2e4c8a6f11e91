// A storage for each test of the suite of all backends, and changes that several of its tests make.

import assert from 'node:assert/strict';
import type { ChangeScope, Storage } from '#store/database';
import { type Group, groupTable } from '#store/database/entities';

/** Opens one storage, which is empty at first; again after it was closed. */
export type Open = (nowMs: () => number) => Promise<Storage>;

interface Scene {
  readonly storage: Storage;
  readonly clock: { nowMs: number };
  /** The same storage as a new process sees it. */
  readonly reopen: () => Promise<Storage>;
}

/** A test with its own storage, which is closed after the test. */
export type WithStorage = (work: (scene: Scene) => Promise<void>) => () => Promise<void>;

export function withStorageOf(newOpen: () => Open): WithStorage {
  return (work) => async () => {
    const clock = { nowMs: 1_700_000_000_000 };
    const open = newOpen();
    const storage = await open(() => clock.nowMs);
    let current = storage;
    const reopen = async (): Promise<Storage> => {
      await current.close();
      current = await open(() => clock.nowMs);
      return current;
    };
    await work({ storage, clock, reopen });
    await current.close();
  };
}

export const fields = (name: string) => ({ name, comment: null, enabled: true });

export async function addGroup({ change }: Storage, name: string): Promise<number | undefined> {
  const outcome = await change('me', (scope) => groupTable.insert(scope, fields(name)));
  return outcome.ok ? outcome.version : assert.fail(outcome.problem);
}

/** A change that only records: its revisions do not depend on what it does. */
export async function recordMany({ change }: Storage, count: number, note = ''): Promise<number> {
  const outcome = await change('me', async ({ record }) => {
    for (let index = 0; index < count; index++)
      record({ entity: 'setting', key: `k${index}`, before: null, after: `${index}${note}` });
  });
  return (outcome.ok ? outcome.version : undefined) ?? assert.fail('The change was not stored.');
}

export async function mustFind(scope: ChangeScope, name: string): Promise<Group> {
  return (await groupTable.find(scope, { name })) ?? assert.fail(`There is no group ${name}.`);
}
