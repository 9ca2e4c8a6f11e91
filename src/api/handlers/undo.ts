// Undoing a change of an entity: the state before it is written back, through the same door as any change. It
// is refused when the thing is not any more as the change left it, because then somebody else's work would be
// lost. A deletion is undone under the old id, so that whatever refers to it fits again.

import { fail, type Failure } from '#contract';
import {
  type ChangeScope,
  clientById,
  deleteAppPassword,
  deleteClient,
  deleteDomain,
  deleteGroup,
  deleteList,
  deletePause,
  domainById,
  type Group,
  groupById,
  isMasked,
  listById,
  maskedAddress,
  pauseById,
  presentGroups,
  type ReadModel,
  reportFields,
  restoreClient,
  restoreDomain,
  restoreGroup,
  restoreList,
  restorePause,
  type Revision,
  type StoredClient,
  type StoredDomain,
  type StoredList,
  type StoredPause,
  updateClient,
  updateDomain,
  updateGroup,
  updateList,
  updatePause,
} from '#store/database';
import { capacityFailure, ruleCapacityFailure, windowCapacityFailure } from './capacity.ts';

type UndoFailure = Failure<'notUndoable' | 'duplicate'>;

/** What limits are held against; inside of a change it is as the database is. */
type Counted = Pick<ReadModel, 'groups' | 'domains' | 'lists' | 'clients' | 'pauses'>;

type Undo = (scope: ChangeScope, revision: Revision, read: Counted) => Promise<UndoFailure | undefined>;

interface Entity<T> {
  readonly find: (scope: ChangeScope, id: number) => Promise<T | undefined>;
  readonly remove: (scope: ChangeScope, item: T) => Promise<void>;
  readonly restore: (scope: ChangeScope, item: T) => Promise<boolean>;
  readonly update: (scope: ChangeScope, now: T, before: T) => Promise<boolean>;
  /** Why it cannot be again as it was, as when there is no room for it; `now`: as it is. */
  readonly problem: (read: Counted, before: T, now: T | undefined) => Failure | undefined;
}

const changedSince = fail('notUndoable', 'It has been changed again since.');
const taken = fail('notUndoable', 'Its place is taken by now, or the group it belongs to is gone.');

const undoEntity =
  <T extends object>(entity: Entity<T>): Undo =>
  async (scope, { key, before, after }, read) => {
    const now = await entity.find(scope, Number(key));
    if (!isSame(now ?? null, after)) return changedSince;
    if (before === null) {
      if (now !== undefined) await entity.remove(scope, now);
      return undefined;
    }
    // What was recorded for this entity is one of its items.
    const item = before as T;
    const refused = entity.problem(read, item, now);
    if (refused !== undefined) return fail('notUndoable', refused.hint);
    const done =
      now === undefined ? await entity.restore(scope, item) : await entity.update(scope, now, item);
    return done ? undefined : taken;
  };

/**
 * Times of change differ after an undo, what the service writes by itself is nobody's work, and older
 * revisions do not have the rights of lists; everything else must be the same.
 */
const isSame = (now: unknown, then: unknown): boolean => comparable(now) === comparable(then);

const notCompared = new Set(['date_modified', 'added_with', ...reportFields]);

const comparable = (item: unknown): string =>
  JSON.stringify(item, (name, value: unknown) =>
    isCompared(name, value) ? recorded(name, value) : undefined,
  );

/** Revisions have no passwords of lists. */
const recorded = (name: string, value: unknown): unknown =>
  name === 'address' && typeof value === 'string' ? maskedAddress(value) : value;

/** Groups in revisions that are older than these fields have none, which is the same as an empty one. */
const isCompared = (name: string, value: unknown): boolean =>
  !notCompared.has(name) &&
  !(name === 'schedules' && Array.isArray(value) && value.length === 0) &&
  !(name === 'privacy' && value === 0);

const newOnes = (now: object | undefined): number => (now === undefined ? 1 : 0);

const groups: Entity<Group> = {
  find: groupById,
  remove: deleteGroup,
  restore: restoreGroup,
  update: async (scope, now, before) => (await updateGroup(scope, now, before)) !== undefined,
  // Groups in revisions that are older than schedules have none.
  problem: (read, { name, schedules = [] }: Pick<Group, 'name'> & Partial<Group>, now) =>
    capacityFailure(read, 'groups', newOnes(now)) ??
    windowCapacityFailure(read.groups, [now?.name ?? name], schedules.length),
};

const domains: Entity<StoredDomain> = {
  find: domainById,
  remove: deleteDomain,
  restore: restoreDomain,
  update: async (scope, now, before) => {
    // Groups that are gone by now stay gone.
    const present = await presentGroups(scope, before.groups);
    return (await updateDomain(scope, now, before, { ...before, groups: present })) !== undefined;
  },
  problem: (read, before, now) =>
    capacityFailure(read, 'domains', newOnes(now)) ?? ruleCapacityFailure(read.domains, [before], now),
};

const lists: Entity<StoredList> = {
  find: listById,
  remove: deleteList,
  restore: restoreList,
  update: async (scope, now, before) => {
    const present = await presentGroups(scope, before.groups);
    await updateList(scope, now, { ...before, groups: present });
    return true;
  },
  problem: (read, { address }, now) =>
    now === undefined && isMasked(address)
      ? fail('notUndoable', 'The password in its address is not kept: add the list again.')
      : capacityFailure(read, 'lists', newOnes(now)),
};

const clients: Entity<StoredClient> = {
  find: clientById,
  remove: deleteClient,
  restore: restoreClient,
  update: async (scope, now, before) => {
    const present = await presentGroups(scope, before.groups);
    await updateClient(scope, now, { ...before, groups: present });
    return true;
  },
  problem: (read, _before, now) => capacityFailure(read, 'clients', newOnes(now)),
};

const pauses: Entity<StoredPause> = {
  find: pauseById,
  remove: deletePause,
  restore: restorePause,
  update: async (scope, now, before) => {
    await updatePause(scope, now, before.until);
    return true;
  },
  problem: (read, _before, now) => capacityFailure(read, 'pauses', newOnes(now)),
};

const undoApp: Undo = async (scope, { key, before }) => {
  if (before !== null) return fail('notUndoable', 'A removed application password is not kept.');
  const removed = await deleteAppPassword(scope, Number(key));
  return removed === undefined ? changedSince : undefined;
};

/** How each kind of entity is undone; settings go their own way, because they are checked and pinned. */
export const undoers: ReadonlyMap<string, Undo> = new Map([
  ['group', undoEntity(groups)],
  ['domain', undoEntity(domains)],
  ['list', undoEntity(lists)],
  ['client', undoEntity(clients)],
  ['pause', undoEntity(pauses)],
  ['app', undoApp],
]);
