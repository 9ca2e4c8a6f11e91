// Undoing changes of entities: the states before them are written back, through the same door as any change,
// the last one first; all of them or none. It is refused when an item is not any more as the change left it,
// because then later work would be lost. A deletion is undone under the old id, so that references to it fit
// again.

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
  type RevisedItem,
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
import { capacityFailure, ruleCapacityFailure, windowSumFailure } from './capacity.ts';

export type UndoFailure = Failure<'notUndoable'>;

/** What limits are held against; inside of a change it is as the database was before the change. */
type Counted = Pick<ReadModel, 'groups' | 'domains' | 'lists' | 'clients' | 'pauses'>;

interface Undoer {
  readonly undo: (scope: ChangeScope, item: RevisedItem) => Promise<UndoFailure | undefined>;
  /** Why there is no room for all that comes back. */
  readonly capacity: (read: Counted, wanted: readonly Wanted<unknown>[]) => Failure | undefined;
}

/** What becomes of an item by the whole undo. */
interface Wanted<T> {
  readonly id: number;
  /** As it will be; null: gone. */
  readonly item: T | null;
  readonly isThere: boolean;
}

interface Entity<T> {
  readonly find: (scope: ChangeScope, id: number) => Promise<T | undefined>;
  readonly remove: (scope: ChangeScope, item: T) => Promise<void>;
  readonly restore: (scope: ChangeScope, item: T) => Promise<boolean>;
  readonly update: (scope: ChangeScope, now: T, before: T) => Promise<boolean>;
  /** Why it cannot come back. */
  readonly problem?: (before: T, now: T | undefined) => string | undefined;
  readonly capacity: (read: Counted, wanted: readonly Wanted<T>[]) => Failure | undefined;
}

/** Others get their turn now and then: SQLite answers at once, so nothing here would ever wait. */
const itemsPerTurn = 50;

/** Takes back what was done to the items, in the order in which it was done; or nothing, and says why. */
export async function undoItems(
  scope: ChangeScope,
  items: readonly RevisedItem[],
  read: Counted,
): Promise<UndoFailure | undefined> {
  const refused = (await undoEach(scope, items)) ?? noRoomFor(read, items);
  if (refused !== undefined) scope.abandon();
  return refused;
}

async function undoEach(scope: ChangeScope, items: readonly RevisedItem[]): Promise<UndoFailure | undefined> {
  for (const [index, item] of items.toReversed().entries()) {
    if (index % itemsPerTurn === itemsPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
    const undoer = undoers.get(item.entity);
    if (undoer === undefined) return fail('notUndoable', `Changes of ${item.entity} cannot be undone.`);
    const refused = await undoer.undo(scope, item);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function noRoomFor(read: Counted, items: readonly RevisedItem[]): UndoFailure | undefined {
  for (const [entity, ofEntity] of Map.groupBy(items, (item) => item.entity)) {
    const refused = undoers.get(entity)?.capacity(read, wantedOf(ofEntity));
    if (refused !== undefined) return fail('notUndoable', refused.hint);
  }
  return undefined;
}

/** An item that was changed several times is in the end as it was before the first of them. */
function wantedOf(items: readonly RevisedItem[]): readonly Wanted<unknown>[] {
  const byKey = [...Map.groupBy(items, ({ key }) => key)];
  return byKey.map(([key, changes]) => ({
    id: Number(key),
    item: changes[0]?.before ?? null,
    isThere: (changes.at(-1)?.after ?? null) !== null,
  }));
}

function undoEntity<T extends object>(entity: Entity<T>): Undoer {
  return {
    undo: async (scope, item) => {
      const { key, before, after } = item;
      const now = await entity.find(scope, Number(key));
      if (!isSame(now ?? null, after)) return changedSince(item);
      if (before === null) {
        if (now !== undefined) await entity.remove(scope, now);
        return undefined;
      }
      // What was recorded for this entity is one of its items.
      const old = before as T;
      const problem = entity.problem?.(old, now);
      if (problem !== undefined) return fail('notUndoable', problem);
      const done =
        now === undefined ? await entity.restore(scope, old) : await entity.update(scope, now, old);
      return done ? undefined : taken(item);
    },
    // As above.
    capacity: (read, wanted) => entity.capacity(read, wanted as readonly Wanted<T>[]),
  };
}

export function changedSince(item: RevisedItem): UndoFailure {
  return fail('notUndoable', `The ${labelOf(item)} has been changed again since.`);
}

function taken(item: RevisedItem): UndoFailure {
  return fail(
    'notUndoable',
    `The place of the ${labelOf(item)} is taken by now, or the group it belongs to is gone.`,
  );
}

const nameFields = ['name', 'domain', 'address', 'client'];

/** `domain ads.example`, or its number where it has no name. */
function labelOf({ entity, key, before, after }: RevisedItem): string {
  const fields = new Map(Object.entries(Object(after ?? before)));
  const name = nameFields.map((field) => fields.get(field)).find((value) => typeof value === 'string');
  return `${entity} ${name ?? key}`;
}

/**
 * Times of change differ after an undo, what the service writes by itself is nobody's work, and older
 * revisions do not have the rights of lists; everything else must be the same.
 */
function isSame(now: unknown, then: unknown): boolean {
  return comparable(now) === comparable(then);
}

const notCompared = new Set(['date_modified', 'added_with', ...reportFields]);

function comparable(item: unknown): string {
  return JSON.stringify(item, (name, value: unknown) =>
    isCompared(name, value) ? recorded(name, value) : undefined,
  );
}

/** Revisions have no passwords of lists. */
function recorded(name: string, value: unknown): unknown {
  return name === 'address' && typeof value === 'string' ? maskedAddress(value) : value;
}

/** Groups in revisions that are older than these fields have none, which is the same as an empty one. */
function isCompared(name: string, value: unknown): boolean {
  return (
    !notCompared.has(name) &&
    !(name === 'schedules' && Array.isArray(value) && value.length === 0) &&
    !(name === 'privacy' && value === 0)
  );
}

function growth(wanted: readonly Wanted<unknown>[]): number {
  return wanted.reduce((sum, { item, isThere }) => sum + (item === null ? 0 : 1) - (isThere ? 1 : 0), 0);
}

function idsOf(wanted: readonly Wanted<unknown>[]): ReadonlySet<number> {
  return new Set(wanted.map(({ id }) => id));
}

function comingBack<T>(wanted: readonly Wanted<T>[]): readonly T[] {
  return wanted.flatMap(({ item }) => item ?? []);
}

const groups: Entity<Group> = {
  find: groupById,
  remove: deleteGroup,
  restore: restoreGroup,
  update: async (scope, now, before) => (await updateGroup(scope, now, before)) !== undefined,
  capacity: (read, wanted) => {
    const ids = idsOf(wanted);
    return (
      capacityFailure(read, 'groups', growth(wanted)) ??
      windowSumFailure(read.groups, ({ id }) => ids.has(id), windowsOf(comingBack(wanted)))
    );
  },
};

/** Groups in revisions that are older than schedules have none. */
function windowsOf(all: readonly Partial<Pick<Group, 'schedules'>>[]): number {
  return all.reduce((sum, { schedules = [] }) => sum + schedules.length, 0);
}

const domains: Entity<StoredDomain> = {
  find: domainById,
  remove: deleteDomain,
  restore: restoreDomain,
  update: async (scope, now, before) => {
    // Groups that are gone by now stay gone.
    const present = await presentGroups(scope, before.groups);
    return (await updateDomain(scope, now, before, { ...before, groups: present })) !== undefined;
  },
  capacity: (read, wanted) =>
    capacityFailure(read, 'domains', growth(wanted)) ??
    ruleCapacityFailure(read.domains, comingBack(wanted), idsOf(wanted)),
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
  problem: ({ address }, now) =>
    now === undefined && isMasked(address)
      ? 'The password in its address is not kept: add the list again.'
      : undefined,
  capacity: (read, wanted) => capacityFailure(read, 'lists', growth(wanted)),
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
  capacity: (read, wanted) => capacityFailure(read, 'clients', growth(wanted)),
};

const pauses: Entity<StoredPause> = {
  find: pauseById,
  remove: deletePause,
  restore: restorePause,
  update: async (scope, now, before) => {
    await updatePause(scope, now, before.until);
    return true;
  },
  capacity: (read, wanted) => capacityFailure(read, 'pauses', growth(wanted)),
};

const apps: Undoer = {
  undo: async (scope, item) => {
    if (item.before !== null) return fail('notUndoable', 'A removed application password is not kept.');
    const removed = await deleteAppPassword(scope, Number(item.key));
    return removed === undefined ? changedSince(item) : undefined;
  },
  capacity: () => undefined,
};

/** How each kind of entity is undone; settings go their own way, because they are checked and pinned. */
const undoers: ReadonlyMap<string, Undoer> = new Map([
  ['group', undoEntity(groups)],
  ['domain', undoEntity(domains)],
  ['list', undoEntity(lists)],
  ['client', undoEntity(clients)],
  ['pause', undoEntity(pauses)],
  ['app', apps],
]);
