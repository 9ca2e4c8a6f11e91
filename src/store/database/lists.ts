// Subscribed lists in the database, with the groups they belong to. What a user sets is written with a
// revision, as for all entities. The result of an update is a report: it belongs to no user, so it has no
// revision.

import { entities } from '#contract';
import { secretMask } from '../secret-mask.ts';
import type { ChangeScope } from './change.ts';
import type { Collection } from './collection.ts';
import { entityTable } from './entity-table.ts';
import { membershipFields, type MembershipFields } from './memberships.ts';
import { isSameAddress, maskedAddress } from './masked-address.ts';
import type { ListRow } from './schema.ts';

export type ListType = 'block' | 'allow';

/** The result of the last update, in numbers that existing API clients know. */
export const listStatus = {
  notProcessed: 0,
  downloaded: 1,
  unchanged: 2,
  unavailableWithCopy: 3,
  unavailable: 4,
} as const;

/**
 * The rights with which a list was added. They decide which addresses it may reach. `limited`: by an
 * application password without sudo. `earlier`: before these rights were recorded.
 */
export type ListRights = 'sudo' | 'limited' | 'earlier';

export interface ListKey {
  readonly address: string;
  readonly type: ListType;
}

export interface ListFields extends MembershipFields {
  readonly comment: string | null;
  readonly enabled: boolean;
}

/** What list updates write. */
export interface ListReport {
  /** Unix seconds; 0 for never. */
  readonly date_updated: number;
  readonly number: number;
  readonly invalid_domains: number;
  readonly abp_entries: number;
  /** One of `listStatus`. */
  readonly status: number;
  /** The newest copy differs so much that a user must confirm it; an older one is in force. */
  readonly held: boolean;
}

export interface StoredList extends ListKey, ListFields, ListReport {
  readonly id: number;
  readonly added_with: ListRights;
  readonly date_added: number;
  readonly date_modified: number;
}

/** The fields of a report, for comparisons that ignore them. */
export const reportFields: readonly string[] = [
  'date_updated',
  'number',
  'invalid_domains',
  'abp_entries',
  'status',
  'held',
] satisfies readonly (keyof ListReport)[];

/** A new list, with the rights of the user who adds it. */
export interface NewList extends ListKey, ListFields, Pick<StoredList, 'added_with'> {}

export const listTable = entityTable<ListRow, ListKey, ListFields, StoredList, NewList>({
  ...entities.lists,
  table: 'lists',
  fixed: ['address', 'type', 'added_with'],
  columns: ['comment', 'enabled'],
  memberships: 'list_groups',
  fromRow: (row, memberships) => ({
    address: row.address,
    // The table's check constraint allows these alone.
    type: row.type as ListType,
    comment: row.comment,
    enabled: row.enabled === 1,
    id: row.id,
    // The table's check constraint allows these alone.
    added_with: row.added_with as ListRights,
    date_added: row.date_added,
    date_modified: row.date_modified,
    date_updated: row.date_updated,
    number: row.number,
    invalid_domains: row.invalid_domains,
    abp_entries: row.abp_entries,
    status: row.status,
    held: row.held === 1,
    ...membershipFields(memberships),
  }),
  // A list with another password is the same list.
  isTaken: async (scope, { address, type }) =>
    hasCredentials(address) && (await findLists(scope, { address, type })).length > 0,
  // A list that is enabled again is not processed until its next update.
  alsoUpdated: (before, { enabled }) =>
    enabled && !before.enabled ? { status: listStatus.notProcessed } : {},
});

/**
 * Returns the list with exactly this address. If there is none, returns all lists whose address differs only
 * in user and password, as a masked address does. Earlier releases stored several such lists.
 */
export async function findLists(
  scope: Pick<ChangeScope, 'db'>,
  { address, type }: ListKey,
): Promise<readonly StoredList[]> {
  const exact = await listTable.find(scope, { address, type });
  if (exact !== undefined) return [exact];
  if (!hasCredentials(address)) return [];
  const all = scope.db.selectFrom('lists').select(['id', 'address']).where('type', '=', type).orderBy('id');
  const same = (await all.execute()).filter((list) => isSameAddress(list.address, address));
  const lists = await Promise.all(same.map(({ id }) => listTable.byId(scope, id)));
  return lists.filter((list) => list !== undefined);
}

/** Does the same in the read model. */
export function listsIn(lists: ReadLists, { address, type }: ListKey): readonly StoredList[] {
  const exact = lists.get(listTable.keyOf({ address, type }));
  if (exact !== undefined) return [exact];
  if (!hasCredentials(address)) return [];
  return lists.filter((list) => list.type === type && isSameAddress(list.address, address));
}

export type ReadLists = Pick<Collection<StoredList>, 'get' | 'filter'>;

function hasCredentials(address: string): boolean {
  return maskedAddress(address).includes(secretMask);
}

/** Writes the result of an update; undefined when the list was deleted. Missing fields stay unchanged. */
export async function reportList(
  scope: ChangeScope,
  id: number,
  { date_updated, number, invalid_domains, abp_entries, status, held }: Partial<ListReport>,
): Promise<StoredList | undefined> {
  const before = await listTable.byId(scope, id);
  if (before === undefined) return undefined;
  const report: ListReport = {
    date_updated: date_updated ?? before.date_updated,
    number: number ?? before.number,
    invalid_domains: invalid_domains ?? before.invalid_domains,
    abp_entries: abp_entries ?? before.abp_entries,
    status: status ?? before.status,
    held: held ?? before.held,
  };
  const columns = { ...report, held: report.held ? 1 : 0 };
  await scope.db.updateTable('lists').set(columns).where('id', '=', id).execute();
  const after = { ...before, ...report };
  scope.record({ entity: 'list', key: String(id), before, after, isReport: true });
  return after;
}
