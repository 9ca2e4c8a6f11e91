// Everything that reads are answered from: the collections, and the stored settings. It is loaded once and
// then follows the changes, which carry the entities as they are afterwards.

import type { Kysely } from 'kysely';
import type { Changed } from './change.ts';
import { Collection } from './collection.ts';
import { groupFromRow, type Group } from './groups.ts';
import type { Tables } from './schema.ts';
import { loadSettings } from './stored-settings.ts';

export interface ReadModel {
  readonly groups: Collection<Group>;
  readonly settings: ReadonlyMap<string, unknown>;
  readonly apply: (changes: readonly Changed[]) => void;
}

export const createReadModel = async (db: Kysely<Tables>): Promise<ReadModel> => {
  const rows = await db.selectFrom('groups').selectAll().orderBy('id').execute();
  const groups = new Collection<Group>('groups', (group) => group.name, rows.map(groupFromRow));
  const settings = await loadSettings(db);
  const apply = (changes: readonly Changed[]): void => {
    for (const changed of changes) {
      if (changed.entity !== 'group') continue;
      // What is recorded for a group is a group.
      const { before, after } = changed as { readonly before: Group | null; readonly after: Group | null };
      follow(groups, before, after);
    }
  };
  return { groups, settings, apply };
};

const follow = (groups: Collection<Group>, before: Group | null, after: Group | null): void => {
  if (after !== null) groups.put(after);
  else if (before !== null) groups.remove(before.id);
};
