// What domains, lists and clients have in common when they are written: several in one request, fields that
// are left out, and groups that they may be in.

import { fail, type Failure } from '#contract';
import { type ChangeOutcome, type ChangeScope, writeFailure } from '#store/database';
import { type MembershipFields, missingGroup } from '#store/database/entities';
import type { Processed } from './processed.ts';

export interface Inserted<T> {
  /** The last one that was made. */
  readonly last: T | undefined;
  readonly processed: Processed;
}

interface Insertion<T> {
  readonly items: readonly string[];
  readonly fields: MembershipFields;
  /** Nothing when there is such an item already. */
  readonly insert: (item: string) => Promise<T | undefined>;
  /** The database's own words for that. */
  readonly uniqueness: string;
  /** Why there is no room for them. */
  readonly noRoom: Failure<'collectionFull'> | undefined;
}

/** Inserts item by item, unless a group is wrong or there is no room for all: then none. */
export const insertEach = async <T>(
  scope: ChangeScope,
  { items, fields, insert, uniqueness, noRoom }: Insertion<T>,
): Promise<Inserted<T> | Failure<'unknownGroup' | 'collectionFull'>> => {
  if (noRoom !== undefined) return noRoom;
  const missing = expiryOutsideGroups(fields) ?? (await missingGroup(scope, fields.groups));
  if (missing !== undefined) return unknownGroup(missing);
  const processed: Processed = { success: [], errors: [] };
  let last: T | undefined;
  for (const item of items) {
    const stored = await insert(item);
    if (stored === undefined) processed.errors.push({ item, error: uniqueness });
    else processed.success.push({ item });
    last = stored ?? last;
  }
  return { last, processed };
};

interface Removal<Item, T> {
  readonly items: readonly Item[];
  readonly find: (item: Item) => Promise<T | undefined>;
  readonly remove: (scope: ChangeScope, found: T) => Promise<void>;
}

/** Removes those of the items that are there, and says how many that were. */
export const removeEach = async <Item, T>(
  scope: ChangeScope,
  { items, find, remove }: Removal<Item, T>,
): Promise<number> => {
  let removed = 0;
  for (const item of items) {
    const found = await find(item);
    if (found === undefined) continue;
    await remove(scope, found);
    removed++;
  }
  return removed;
};

export const removedReply = (outcome: ChangeOutcome<number>) => {
  if (!outcome.ok) return writeFailure(outcome);
  return outcome.value === 0 ? fail('notFound', 'None of the items is there.') : { status: 204 as const };
};

/** Those of an entry's fields that were sent. */
export const sentOf = <F extends object>(defaults: F, body: Partial<F>): Partial<F> =>
  // The names that stay are names of such fields, and the body was checked.
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(defaults, name))) as Partial<F>;

/** The groups of an entry, which a replacement that does not name them leaves as they are. */
export const groupsKept = (before: MembershipFields | undefined): Partial<MembershipFields> =>
  before === undefined ? {} : { groups: before.groups, group_expiry: before.group_expiry };

/** A group that has an expiry and that the entry is not in. */
export const expiryOutsideGroups = ({ groups, group_expiry }: MembershipFields): number | undefined =>
  Object.keys(group_expiry)
    .map(Number)
    .find((id) => !groups.includes(id));

/** The same after a patch: an expiry of a group that the patch takes away goes with it. */
export const expiryOutsideGroupsAfter = (
  before: MembershipFields,
  after: MembershipFields,
): number | undefined => expiryOutsideGroups({ ...after, groups: [...after.groups, ...before.groups] });

export const unknownGroup = (id: number): Failure<'unknownGroup'> =>
  fail('unknownGroup', `There is no group ${id}, or the entry is not in it.`);

/** Neither addresses nor clients hold any of these. */
export const hasBlanks = (text: string): boolean => /[\s\p{Cc}]/u.test(text);
