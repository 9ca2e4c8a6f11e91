// Subscribed lists in the database, with the groups they belong to. What a user sets is written with a
// revision, as for domains. The result of an update is a report: it belongs to no user, so it has no
// revision.

import { secretMask } from '../secret-mask.ts';
import type { ChangeScope } from './change.ts';
import type { Collection } from './collection.ts';
import {
  membershipFields,
  membershipsOf,
  presentGroups,
  writeMemberships,
  type MembershipFields,
  type Membership,
} from './memberships.ts';
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

export const listFromRow = (row: ListRow, memberships: readonly Membership[]): StoredList => ({
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
});

/** The fields of a report, for comparisons that ignore them. */
export const reportFields: readonly string[] = [
  'date_updated',
  'number',
  'invalid_domains',
  'abp_entries',
  'status',
  'held',
] satisfies readonly (keyof ListReport)[];

export const listKey = ({ type, address }: ListKey): string => `${type}/${address}`;

export async function listById({ db }: Pick<ChangeScope, 'db'>, id: number): Promise<StoredList | undefined> {
  const row = await db.selectFrom('lists').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : listFromRow(row, await membershipsOf(db, 'list_groups', row.id));
}

/**
 * Returns the list with exactly this address. If there is none, returns all lists whose address differs only
 * in user and password, as a masked address does. Earlier releases stored several such lists.
 */
export async function findLists(
  { db }: Pick<ChangeScope, 'db'>,
  { address, type }: ListKey,
): Promise<readonly StoredList[]> {
  const ofType = db.selectFrom('lists').selectAll().where('type', '=', type).orderBy('id');
  const exact = await ofType.where('address', '=', address).execute();
  const isExact = exact.length > 0 || !hasCredentials(address);
  const rows = isExact
    ? exact
    : (await ofType.execute()).filter((row) => isSameAddress(row.address, address));
  return Promise.all(
    rows.map(async (row) => listFromRow(row, await membershipsOf(db, 'list_groups', row.id))),
  );
}

/** Does the same in the read model. */
export function listsIn(lists: ReadLists, { address, type }: ListKey): readonly StoredList[] {
  const exact = lists.get(listKey({ address, type }));
  if (exact !== undefined) return [exact];
  if (!hasCredentials(address)) return [];
  return lists.filter((list) => list.type === type && isSameAddress(list.address, address));
}

export type ReadLists = Pick<Collection<StoredList>, 'get' | 'filter'>;

const hasCredentials = (address: string): boolean => maskedAddress(address).includes(secretMask);

/** Returns the new list; undefined when it exists already, possibly with another password. */
export async function insertList(
  scope: ChangeScope,
  { address, type, added_with }: ListKey & Pick<StoredList, 'added_with'>,
  fields: ListFields,
): Promise<StoredList | undefined> {
  const seconds = Math.floor(scope.nowMs / 1000);
  if (hasCredentials(address) && (await findLists(scope, { address, type })).length > 0) return undefined;
  const row = await scope.db
    .insertInto('lists')
    .values({ address, type, added_with, ...columns(fields), date_added: seconds, date_modified: seconds })
    .onConflict((conflict) => conflict.columns(['address', 'type']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const stored = listFromRow(row, await writeMemberships(scope, 'list_groups', row.id, fields));
  scope.record({ entity: 'list', key: String(stored.id), before: null, after: stored });
  return stored;
}

/** Returns the new state of the list. A list that is enabled again is not processed until its next update. */
export async function updateList(
  scope: ChangeScope,
  before: StoredList,
  fields: ListFields,
): Promise<StoredList> {
  const isEnabledAgain = fields.enabled && !before.enabled;
  const row = await scope.db
    .updateTable('lists')
    .set({
      ...columns(fields),
      date_modified: Math.floor(scope.nowMs / 1000),
      ...(isEnabledAgain ? { status: listStatus.notProcessed } : {}),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const stored = listFromRow(row, await writeMemberships(scope, 'list_groups', row.id, fields));
  scope.record({ entity: 'list', key: String(stored.id), before, after: stored });
  return stored;
}

/** Writes the result of an update; undefined when the list was deleted. Missing fields stay unchanged. */
export async function reportList(
  scope: ChangeScope,
  id: number,
  { date_updated, number, invalid_domains, abp_entries, status, held }: Partial<ListReport>,
): Promise<StoredList | undefined> {
  const before = await listById(scope, id);
  if (before === undefined) return undefined;
  const row = await scope.db
    .updateTable('lists')
    .set({
      date_updated: date_updated ?? before.date_updated,
      number: number ?? before.number,
      invalid_domains: invalid_domains ?? before.invalid_domains,
      abp_entries: abp_entries ?? before.abp_entries,
      status: status ?? before.status,
      held: (held ?? before.held) ? 1 : 0,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const after = { ...listFromRow(row, []), groups: before.groups, group_expiry: before.group_expiry };
  scope.record({ entity: 'list', key: String(id), before, after, isReport: true });
  return after;
}

export async function deleteList(scope: ChangeScope, list: StoredList): Promise<void> {
  await scope.db.deleteFrom('lists').where('id', '=', list.id).execute();
  scope.record({ entity: 'list', key: String(list.id), before: list, after: null });
}

/**
 * Restores a deleted list with its old id, not processed yet; false when its address is used again. Groups
 * that no longer exist are left out.
 */
export async function restoreList(scope: ChangeScope, list: RestoredList): Promise<boolean> {
  if ((await findLists(scope, list)).length > 0) return false;
  const { id, address, type, date_added, date_modified, added_with = 'earlier' } = list;
  await scope.db
    .insertInto('lists')
    .values({ id, address, type, added_with, ...columns(list), date_added, date_modified })
    .execute();
  const groups = await presentGroups(scope, list.groups);
  await writeMemberships(scope, 'list_groups', id, { ...list, groups });
  const after = await listById(scope, id);
  scope.record({ entity: 'list', key: String(id), before: null, after: after ?? null });
  return true;
}

/** Old revisions do not have `added_with`. */
type RestoredList = Omit<StoredList, 'added_with'> & Partial<Pick<StoredList, 'added_with'>>;

const columns = ({ comment, enabled }: ListFields) => ({
  comment: comment === '' ? null : comment,
  enabled: enabled ? 1 : 0,
});
