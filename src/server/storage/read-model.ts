// Everything that reads are answered from: the collections, and the stored settings. It is loaded once and
// then follows the changes, which carry the entities as they are afterwards.

import type { Kysely } from 'kysely';
import type { Changed } from './change.ts';
import { Collection } from './collection.ts';
import { domainFromRow, domainKey, type StoredDomain } from './domains.ts';
import { groupFromRow, type Group } from './groups.ts';
import type { Tables } from './schema.ts';
import { loadSettings } from './stored-settings.ts';

export interface ReadModel {
  readonly groups: Collection<Group>;
  readonly domains: Collection<StoredDomain>;
  readonly settings: ReadonlyMap<string, unknown>;
  readonly apply: (changes: readonly Changed[]) => void;
}

export const createReadModel = async (db: Kysely<Tables>): Promise<ReadModel> => {
  const groups = await loadGroups(db);
  const domains = await loadDomains(db);
  const settings = await loadSettings(db);
  const apply = (changes: readonly Changed[]): void => {
    for (const { entity, before, after } of changes) {
      // What is recorded for an entity is one of its items.
      if (entity === 'group') follow(groups, before as Group | null, after as Group | null);
      // What is recorded for an entity is one of its items.
      if (entity === 'domain') follow(domains, before as StoredDomain | null, after as StoredDomain | null);
    }
  };
  return { groups, domains, settings, apply };
};

const loadGroups = async (db: Kysely<Tables>): Promise<Collection<Group>> => {
  const rows = await db.selectFrom('groups').selectAll().orderBy('id').execute();
  return new Collection('groups', ({ name }) => name, rows.map(groupFromRow));
};

const loadDomains = async (db: Kysely<Tables>): Promise<Collection<StoredDomain>> => {
  const rows = await db.selectFrom('domains').selectAll().orderBy('id').execute();
  const memberships = await db.selectFrom('domain_groups').selectAll().orderBy('group_id').execute();
  const byDomain = Map.groupBy(memberships, ({ domain_id }) => domain_id);
  const items = rows.map((row) => domainFromRow(row, byDomain.get(row.id) ?? []));
  return new Collection('domains', domainKey, items);
};

const follow = <T extends { readonly id: number }>(
  items: Collection<T>,
  before: T | null,
  after: T | null,
): void => {
  if (after !== null) items.put(after);
  else if (before !== null) items.remove(before.id);
};
