// Everything that reads are answered from: the collections, and the stored settings. It is loaded once and
// then follows the changes, which carry the entities as they are afterwards.

import type { Kysely } from 'kysely';
import type { Changed } from './change.ts';
import { Collection } from './collection.ts';
import { domainFromRow, domainKey, type StoredDomain } from './domains.ts';
import { groupFromRow, type Group } from './groups.ts';
import type { Tables } from './schema.ts';
import { databaseTrouble } from './sqlite-errors.ts';
import { loadSettings } from './stored-settings.ts';

export interface ReadModel {
  readonly groups: Collection<Group>;
  readonly domains: Collection<StoredDomain>;
  /** Why the domains could not be read; nothing when they were. Everything else works all the same. */
  readonly domainsProblem: string | undefined;
  readonly settings: ReadonlyMap<string, unknown>;
  readonly apply: (changes: readonly Changed[]) => void;
}

export const createReadModel = async (db: Kysely<Tables>): Promise<ReadModel> => {
  const groups = await loadGroups(db);
  const loaded = await tryDomains(db);
  const domains = new Collection('domains', domainKey, loaded.items);
  const settings = await loadSettings(db);
  const apply = (changes: readonly Changed[]): void => {
    for (const { entity, before, after } of changes) {
      // What is recorded for an entity is one of its items.
      if (entity === 'group') follow(groups, before as Group | null, after as Group | null);
      // What is recorded for an entity is one of its items.
      if (entity === 'domain') follow(domains, before as StoredDomain | null, after as StoredDomain | null);
    }
  };
  return { groups, domains, domainsProblem: loaded.problem, settings, apply };
};

const loadGroups = async (db: Kysely<Tables>): Promise<Collection<Group>> => {
  const rows = await db.selectFrom('groups').selectAll().orderBy('id').execute();
  return new Collection('groups', ({ name }) => name, rows.map(groupFromRow));
};

interface LoadedDomains {
  readonly items: readonly StoredDomain[];
  readonly problem: string | undefined;
}

/** A damaged file is a matter of its own; a table that is not as it should be must not end the service. */
const tryDomains = async (db: Kysely<Tables>): Promise<LoadedDomains> => {
  try {
    return { items: await loadDomains(db), problem: undefined };
  } catch (error) {
    if (databaseTrouble(error) !== undefined) throw error;
    return { items: [], problem: error instanceof Error ? error.message : String(error) };
  }
};

const loadDomains = async (db: Kysely<Tables>): Promise<StoredDomain[]> => {
  const rows = await db.selectFrom('domains').selectAll().orderBy('id').execute();
  const memberships = await db.selectFrom('domain_groups').selectAll().orderBy('group_id').execute();
  const byDomain = Map.groupBy(memberships, ({ domain_id }) => domain_id);
  return rows.map((row) => domainFromRow(row, byDomain.get(row.id) ?? []));
};

const follow = <T extends { readonly id: number }>(
  items: Collection<T>,
  before: T | null,
  after: T | null,
): void => {
  if (after !== null) items.put(after);
  else if (before !== null) items.remove(before.id);
};
