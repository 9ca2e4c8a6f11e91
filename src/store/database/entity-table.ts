// What storage does with every kind of entity. A kind is described by a row: its columns, its key and how its
// items are read. A key that is already used is not an error but a return value. What is special for a kind
// is a function in its own file.

import type { Kysely } from 'kysely';
import type { ChangeScope } from './change.ts';
import {
  deleteItem,
  insertItem,
  loadItems,
  readItem,
  updateItem,
  type EntityRows,
  type Values,
} from './entity-rows.ts';
import { leaveGroup, presentGroups, type MembershipFields } from './memberships.ts';
import type { Tables } from './schema.ts';

/** All kinds have a comment; those with memberships have groups. */
interface CommonFields extends Partial<MembershipFields> {
  readonly comment: string | null;
}

/** The part of an item that the database sets. */
interface Stored {
  readonly id: number;
  readonly date_added: number;
  readonly date_modified: number;
}

/** `Key` identifies an item, `Fields` can be changed, and `New` has in addition what only a creation sets. */
interface EntityRow<Row, Key, Fields, Item, New> extends EntityRows<Row, Item> {
  readonly key: readonly (keyof Key & string)[];
  /** The columns that can be changed. */
  readonly columns: readonly (keyof (Key & Fields) & string)[];
  /** The columns that stay as they were created. */
  readonly fixed?: readonly (keyof New & string)[];
  /** Whether an item excludes a new one, even if their keys differ. */
  readonly isTaken?: (scope: ChangeScope, key: Key) => Promise<boolean>;
  /** Columns that an update sets in addition. */
  readonly alsoUpdated?: (before: Item, fields: Fields) => Partial<Row>;
}

type Reads = Pick<ChangeScope, 'db'>;

/** What the read model and an undo need of a kind. */
export interface ItemTable<Item, Key = Item> {
  /** The key as one text. */
  readonly keyOf: (item: Key) => string;
  readonly load: (db: Kysely<Tables>) => Promise<Item[]>;
  readonly byId: (scope: Reads, id: number) => Promise<Item | undefined>;
  readonly remove: (scope: ChangeScope, item: Item) => Promise<void>;
  /**
   * Restores an earlier state; a deleted item (`now` is undefined) gets its old id. Groups that no longer
   * exist are left out. False when another item has the key.
   */
  readonly restore: (scope: ChangeScope, now: Item | undefined, then: Item) => Promise<boolean>;
}

export interface EntityTable<Key, Fields, Item, New = Key & Fields> extends ItemTable<Item, Key> {
  readonly find: (scope: Reads, key: Key) => Promise<Item | undefined>;
  /** Undefined when an item has this key. */
  readonly insert: (scope: ChangeScope, item: New) => Promise<Item | undefined>;
  /** Undefined when another item has the new key. Fields that are undefined stay unchanged. */
  readonly update: (
    scope: ChangeScope,
    before: Item,
    fields: Partial<Key> & Fields,
  ) => Promise<Item | undefined>;
  /** Removes all items from a group that is being deleted. */
  readonly leaveGroup: (scope: ChangeScope, groupId: number) => Promise<void>;
}

export function entityTable<
  Row extends { readonly id: number },
  Key extends object,
  Fields extends CommonFields,
  Item extends Stored & New,
  New extends Key & Fields = Key & Fields,
>(row: EntityRow<Row, Key, Fields, Item, New>): EntityTable<Key, Fields, Item, New> {
  const { key, columns, fixed = [], memberships, isTaken, alsoUpdated } = row;
  const canKeyChange = key.some((name) => columns.includes(name));

  async function insert(scope: ChangeScope, item: New, stored: Partial<Stored>): Promise<Item | undefined> {
    if ((await isTaken?.(scope, item)) === true) return undefined;
    return insertItem(row, scope, { ...columnsOf([...fixed, ...columns], item), ...stored }, item);
  }

  async function update(
    scope: ChangeScope,
    before: Item,
    fields: Partial<Key> & Fields,
  ): Promise<Item | undefined> {
    const other = canKeyChange ? await find(scope, { ...before, ...fields }) : undefined;
    if (other !== undefined && other.id !== before.id) return undefined;
    const more = { ...alsoUpdated?.(before, fields), date_modified: secondsOf(scope) };
    return updateItem(row, scope, before, { ...columnsOf(columns, fields), ...more }, fields);
  }

  function find(scope: Reads, wanted: Key): Promise<Item | undefined> {
    return readItem(row, scope, columnsOf(key, wanted));
  }

  return {
    keyOf: (item) => key.map((name) => item[name]).join('/'),
    load: (db) => loadItems(row, db),
    byId: (scope, id) => readItem(row, scope, { id }),
    find,
    insert: (scope, item) =>
      insert(scope, item, { date_added: secondsOf(scope), date_modified: secondsOf(scope) }),
    update,
    remove: (scope, item) => deleteItem(row, scope, item),
    restore: async (scope, now, then) => {
      const { id, date_added, date_modified } = then;
      const fields = { ...then, groups: await presentGroups(scope, then.groups ?? []) };
      const restored =
        now === undefined
          ? await insert(scope, fields, { id, date_added, date_modified })
          : await update(scope, now, fields);
      return restored !== undefined;
    },
    leaveGroup: async (scope, groupId) => {
      if (memberships !== undefined) await leaveGroup(scope, { ...row, memberships }, groupId);
    },
  };
}

/** Unix seconds. */
export function secondsOf({ nowMs }: Pick<ChangeScope, 'nowMs'>): number {
  return Math.floor(nowMs / 1000);
}

/** The columns as they are stored; those that the item does not have are left out. */
function columnsOf(names: readonly string[], item: object): Values {
  const present = Object.entries(item).filter(([name, value]) => names.includes(name) && value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, storedValue(name, value)]));
}

function storedValue(name: string, value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (Array.isArray(value)) return JSON.stringify(value);
  return name === 'comment' && value === '' ? null : value;
}
