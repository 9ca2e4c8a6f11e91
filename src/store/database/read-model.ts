// The read model, from which the API answers reads: the collections of entities and the stored settings. It
// is loaded once. After that it is updated from the changes, which contain the entities in their new state.

import type { Kysely } from 'kysely';
import type { Changed } from './change.ts';
import { Collection } from './collection.ts';
import { clientTable, type StoredClient } from './clients.ts';
import { domainTable, type StoredDomain } from './domains.ts';
import type { ItemTable } from './entity-table.ts';
import { groupTable, type Group } from './groups.ts';
import { listTable, type StoredList } from './lists.ts';
import { withMaskedAddress } from './masked-address.ts';
import { pauseTable, type StoredPause } from './pauses.ts';
import type { Tables } from './schema.ts';
import { databaseTrouble } from '#platform/sqlite';
import { loadSettings } from './stored-settings.ts';
import { errorText } from '#platform/tasks';

export interface ReadModel {
  readonly groups: Collection<Group>;
  readonly domains: Collection<StoredDomain>;
  readonly lists: Collection<StoredList>;
  readonly clients: Collection<StoredClient>;
  readonly pauses: Collection<StoredPause>;
  readonly settings: ReadonlyMap<string, unknown>;
  readonly apply: (changes: readonly Changed[]) => void;
}

export async function createReadModel(db: Kysely<Tables>): Promise<ReadModel> {
  const groups = await loadCollection(db, 'groups', groupTable);
  const domains = await loadCollection(db, 'domains', domainTable);
  const lists = await loadCollection(db, 'lists', listTable, withMaskedAddress);
  const clients = await loadCollection(db, 'clients', clientTable);
  const pauses = await loadCollection(db, 'pauses', pauseTable);
  const updaters: Readonly<Record<Changed['entity'], Updater>> = {
    group: updaterOf(groups),
    domain: updaterOf(domains),
    list: updaterOf(lists),
    client: updaterOf(clients),
    pause: updaterOf(pauses),
    setting: () => {},
    app: () => {},
  };
  return {
    groups,
    domains,
    lists,
    clients,
    pauses,
    settings: await loadSettings(db),
    apply: (changes) => {
      for (const changed of changes) updaters[changed.entity](changed);
    },
  };
}

/**
 * A damaged file is handled by the caller. A missing or altered table must not end the service: its
 * collection is empty and has the problem, and the other tables are in use.
 */
async function loadCollection<T extends { readonly id: number }>(
  db: Kysely<Tables>,
  name: string,
  { load, keyOf }: Pick<ItemTable<T>, 'load' | 'keyOf'>,
  shown?: (item: T) => T,
): Promise<Collection<T>> {
  const options = shown === undefined ? {} : { shown };
  try {
    return new Collection(name, keyOf, await load(db), options);
  } catch (error) {
    if (databaseTrouble(error) !== undefined) throw error;
    return new Collection(name, keyOf, [], { ...options, problem: errorText(error) });
  }
}

type Updater = (changed: Changed) => void;

function updaterOf<T extends { readonly id: number }>(items: Collection<T>): Updater {
  return ({ before, after }) => {
    // Changes of an entity carry items of its collection.
    if (after !== null) items.put(after as T);
    // Changes of an entity carry items of its collection.
    else if (before !== null) items.remove((before as T).id);
  };
}
