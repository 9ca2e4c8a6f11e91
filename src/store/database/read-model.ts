// The read model, from which the API answers reads: the collections of entities and the stored settings. It
// is loaded once. After that it is updated from the changes, which contain the entities in their new state.

import type { Kysely } from 'kysely';
import type { Changed } from './change.ts';
import { Collection } from './collection.ts';
import { clientFromRow, type StoredClient } from './clients.ts';
import { domainFromRow, domainKey, type StoredDomain } from './domains.ts';
import { groupFromRow, type Group } from './groups.ts';
import { listFromRow, listKey, type StoredList } from './lists.ts';
import { withMaskedAddress } from './masked-address.ts';
import { allMemberships } from './memberships.ts';
import { pauseFromRow, pauseKey, type StoredPause } from './pauses.ts';
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
  /** Why a table could not be read; undefined when it was. The other tables are still in use. */
  readonly domainsProblem: string | undefined;
  readonly listsProblem: string | undefined;
  readonly clientsProblem: string | undefined;
  readonly groupsProblem: string | undefined;
  readonly pausesProblem: string | undefined;
  readonly settings: ReadonlyMap<string, unknown>;
  readonly apply: (changes: readonly Changed[]) => void;
}

export async function createReadModel(db: Kysely<Tables>): Promise<ReadModel> {
  const loadedGroups = await tryToLoad(() => loadGroups(db));
  const loadedDomains = await tryToLoad(() => loadDomains(db));
  const loadedLists = await tryToLoad(() => loadLists(db));
  const loadedClients = await tryToLoad(() => loadClients(db));
  const domains = new Collection('domains', domainKey, loadedDomains.items);
  const lists = new Collection('lists', listKey, loadedLists.items, withMaskedAddress);
  const clients = new Collection('clients', ({ client }) => client, loadedClients.items);
  const loadedPauses = await tryToLoad(() => loadPauses(db));
  const groups = new Collection('groups', ({ name }) => name, loadedGroups.items);
  const pauses = new Collection('pauses', pauseKey, loadedPauses.items);
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
    domainsProblem: loadedDomains.problem,
    listsProblem: loadedLists.problem,
    clientsProblem: loadedClients.problem,
    groupsProblem: loadedGroups.problem,
    pausesProblem: loadedPauses.problem,
    settings: await loadSettings(db),
    apply: (changes) => {
      for (const changed of changes) updaters[changed.entity](changed);
    },
  };
}

async function loadGroups(db: Kysely<Tables>): Promise<Group[]> {
  const rows = await db.selectFrom('groups').selectAll().orderBy('id').execute();
  return rows.map(groupFromRow);
}

async function loadPauses(db: Kysely<Tables>): Promise<StoredPause[]> {
  const rows = await db.selectFrom('pauses').selectAll().orderBy('id').execute();
  return rows.map(pauseFromRow);
}

interface Loaded<T> {
  readonly items: readonly T[];
  readonly problem: string | undefined;
}

/** A damaged file is handled by the caller. A missing or altered table must not end the service. */
async function tryToLoad<T>(load: () => Promise<readonly T[]>): Promise<Loaded<T>> {
  try {
    return { items: await load(), problem: undefined };
  } catch (error) {
    if (databaseTrouble(error) !== undefined) throw error;
    return { items: [], problem: errorText(error) };
  }
}

async function loadDomains(db: Kysely<Tables>): Promise<StoredDomain[]> {
  const rows = await db.selectFrom('domains').selectAll().orderBy('id').execute();
  const memberships = await allMemberships(db, 'domain_groups');
  return rows.map((row) => domainFromRow(row, memberships.get(row.id) ?? []));
}

async function loadLists(db: Kysely<Tables>): Promise<StoredList[]> {
  const rows = await db.selectFrom('lists').selectAll().orderBy('id').execute();
  const memberships = await allMemberships(db, 'list_groups');
  return rows.map((row) => listFromRow(row, memberships.get(row.id) ?? []));
}

async function loadClients(db: Kysely<Tables>): Promise<StoredClient[]> {
  const rows = await db.selectFrom('clients').selectAll().orderBy('id').execute();
  const memberships = await allMemberships(db, 'client_groups');
  return rows.map((row) => clientFromRow(row, memberships.get(row.id) ?? []));
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
