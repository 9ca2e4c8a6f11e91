// Undoes changes of entities: writes back the states before them, the last one first, all of them or none, as
// one change. An undo is refused when an item has been changed since, because that later work would be lost.
// A deleted item gets its old id back, so that references to it are valid again.

import { fail, nameFields, type Failure } from '#contract';
import type { Changed, ChangeScope, ReadModel, RevisedItem } from '#store/database';
import {
  clientTable,
  deleteAppPassword,
  domainTable,
  type Group,
  groupTable,
  isMasked,
  type ItemTable,
  listTable,
  maskedAddress,
  pauseTable,
  reportFields,
  type StoredDomain,
  type StoredList,
} from '#store/database/entities';
import { capacityFailure, ruleCapacityFailure, windowSumFailure } from './capacity.ts';

export type UndoFailure = Failure<'notUndoable'>;

/** The data that limits are checked against: inside a change, the state before the change. */
type Counted = Pick<ReadModel, 'groups' | 'domains' | 'lists' | 'clients' | 'pauses'>;

interface Undoer {
  readonly undo: (scope: ChangeScope, item: RevisedItem) => Promise<UndoFailure | undefined>;
  /** Why the restored items would exceed a limit. */
  readonly capacity: (read: Counted, wanted: readonly Wanted<unknown>[]) => Failure | undefined;
}

/** An item as the whole undo leaves it. */
interface Wanted<T> {
  readonly id: number;
  /** Null: the item is deleted. */
  readonly item: T | null;
  readonly isThere: boolean;
}

type Undoable<T> = Pick<ItemTable<T>, 'byId' | 'remove' | 'restore'>;

/** What is special about undoing changes of one kind of entity. */
interface Rules<T> {
  readonly capacity: (read: Counted, wanted: readonly Wanted<T>[]) => Failure | undefined;
  /** Why an item cannot be restored. */
  readonly problem?: (before: T, now: T | undefined) => string | undefined;
}

/** After this many items other requests may run: SQLite calls are synchronous and never yield. */
const itemsPerTurn = 50;

/** Undoes all changes, given in the order in which they were made, or none; then returns the reason. */
export async function undoItems(
  scope: ChangeScope,
  items: readonly RevisedItem[],
  read: Counted,
): Promise<UndoFailure | undefined> {
  const refused = (await undoEach(scope, items)) ?? undoCapacityFailure(read, items);
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

function undoCapacityFailure(read: Counted, items: readonly RevisedItem[]): UndoFailure | undefined {
  for (const [entity, ofEntity] of Map.groupBy(items, (item) => item.entity)) {
    const refused = undoers.get(entity)?.capacity(read, wantedOf(ofEntity));
    if (refused !== undefined) return fail('notUndoable', refused.hint);
  }
  return undefined;
}

/** An item that was changed several times gets the state before its first change. */
function wantedOf(items: readonly RevisedItem[]): readonly Wanted<unknown>[] {
  const byKey = [...Map.groupBy(items, ({ key }) => key)];
  return byKey.map(([key, changes]) => ({
    id: Number(key),
    item: changes[0]?.before ?? null,
    isThere: (changes.at(-1)?.after ?? null) !== null,
  }));
}

function undoEntity<T extends object>(table: Undoable<T>, { capacity, problem }: Rules<T>): Undoer {
  return {
    undo: async (scope, item) => {
      const { key, before, after } = item;
      const now = await table.byId(scope, Number(key));
      if (!isSame(now ?? null, after)) return changedSince(item);
      if (before === null) {
        if (now !== undefined) await table.remove(scope, now);
        return undefined;
      }
      // A revision of this entity contains one of its items.
      const old = before as T;
      const reason = problem?.(old, now);
      if (reason !== undefined) return fail('notUndoable', reason);
      return (await table.restore(scope, now, old)) ? undefined : nameTakenFailure(item);
    },
    // The items are those of this entity, as above.
    capacity: (read, wanted) => capacity(read, wanted as readonly Wanted<T>[]),
  };
}

export function changedSince(item: RevisedItem): UndoFailure {
  return fail('notUndoable', `The ${labelOf(item)} has been changed again since.`);
}

function nameTakenFailure(item: RevisedItem): UndoFailure {
  return fail(
    'notUndoable',
    `Another entry has taken the name of the ${labelOf(item)}, or its group no longer exists.`,
  );
}

/** `domain ads.example`, or its number where it has no name. */
function labelOf({ entity, key, before, after }: RevisedItem): string {
  const fields = new Map(Object.entries(Object(after ?? before)));
  const name = nameFields.map((field) => fields.get(field)).find((value) => typeof value === 'string');
  return `${entity} ${name ?? key}`;
}

/**
 * Times of change differ after an undo, reports of the service are not changes by a user, and older revisions
 * do not contain the rights of lists; all other fields must be equal.
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

/** Revisions do not contain the passwords of lists. */
function recorded(name: string, value: unknown): unknown {
  return name === 'address' && typeof value === 'string' ? maskedAddress(value) : value;
}

/** Older revisions of groups do not have these fields, which is the same as an empty value. */
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

function restoredItems<T>(wanted: readonly Wanted<T>[]): readonly T[] {
  return wanted.flatMap(({ item }) => item ?? []);
}

const groupRules: Rules<Group> = {
  capacity: (read, wanted) => {
    const ids = idsOf(wanted);
    return (
      capacityFailure(read, 'groups', growth(wanted)) ??
      windowSumFailure(read.groups, ({ id }) => ids.has(id), windowsOf(restoredItems(wanted)))
    );
  },
};

/** Older revisions of groups have no schedules. */
function windowsOf(all: readonly Partial<Pick<Group, 'schedules'>>[]): number {
  return all.reduce((sum, { schedules = [] }) => sum + schedules.length, 0);
}

const domainRules: Rules<StoredDomain> = {
  capacity: (read, wanted) =>
    capacityFailure(read, 'domains', growth(wanted)) ??
    ruleCapacityFailure(read.domains, restoredItems(wanted), idsOf(wanted)),
};

const listRules: Rules<StoredList> = {
  problem: ({ address }, now) =>
    now === undefined && isMasked(address)
      ? 'The password in its address is not kept: add the list again.'
      : undefined,
  capacity: (read, wanted) => capacityFailure(read, 'lists', growth(wanted)),
};

const apps: Undoer = {
  undo: async (scope, item) => {
    if (item.before !== null) return fail('notUndoable', 'A removed application password is not kept.');
    const removed = await deleteAppPassword(scope, Number(item.key));
    return removed === undefined ? changedSince(item) : undefined;
  },
  capacity: () => undefined,
};

/** How each kind of entity is undone; settings are undone separately, because they can be pinned. */
const byEntity: Readonly<Record<Exclude<Changed['entity'], 'setting'>, Undoer>> = {
  group: undoEntity(groupTable, groupRules),
  domain: undoEntity(domainTable, domainRules),
  list: undoEntity(listTable, listRules),
  client: undoEntity(clientTable, { capacity: (read, all) => capacityFailure(read, 'clients', growth(all)) }),
  pause: undoEntity(pauseTable, { capacity: (read, all) => capacityFailure(read, 'pauses', growth(all)) }),
  app: apps,
};

/** Revisions name their entity as text. */
const undoers: ReadonlyMap<string, Undoer> = new Map(Object.entries(byEntity));
