// What the writes of domains, lists and clients have in common: several items in one request, fields that are
// left out, and groups.

import { fail, type Failure } from '#contract';
import { type ChangeOutcome, type ChangeScope, writeFailure } from '#store/database';
import { type MembershipFields, missingGroup } from '#store/database/entities';
import type { Processed } from './processed.ts';

export interface Inserted<T> {
  /** The items that were inserted, in the order of the request. */
  readonly made: readonly T[];
  readonly processed: Processed;
  /** The first duplicate, as it was sent. */
  readonly duplicate: string;
}

interface Insertion<T> {
  /** In their stored form. */
  readonly items: readonly string[];
  /** The same items as they were sent. */
  readonly sent: readonly string[];
  readonly fields: MembershipFields;
  /** Undefined when the item already exists. */
  readonly insert: (item: string) => Promise<T | undefined>;
  /** The error text of the database for a duplicate. */
  readonly uniqueness: string;
  /** Why the items would exceed a limit. */
  readonly overCapacity: Failure<'collectionFull'> | undefined;
}

/** Inserts item by item; none of them if a group is unknown or the items would exceed a limit. */
export const insertEach = async <T>(
  scope: ChangeScope,
  { items, sent, fields, insert, uniqueness, overCapacity }: Insertion<T>,
): Promise<Inserted<T> | Failure<'unknownGroup' | 'collectionFull'>> => {
  if (overCapacity !== undefined) return overCapacity;
  const missing = expiryOutsideGroups(fields) ?? (await missingGroup(scope, fields.groups));
  if (missing !== undefined) return unknownGroup(missing);
  const processed: Processed = { success: [], errors: [] };
  const made: T[] = [];
  const duplicates: string[] = [];
  for (const [index, item] of items.entries()) {
    const stored = await insert(item);
    if (stored === undefined) {
      processed.errors.push({ item, error: uniqueness });
      duplicates.push(sent[index] ?? item);
    } else {
      processed.success.push({ item });
      made.push(stored);
    }
  }
  return { made, processed, duplicate: duplicates[0] ?? '' };
};

interface Removal<Item, T> {
  readonly items: readonly Item[];
  readonly find: (item: Item) => Promise<T | undefined>;
  readonly remove: (scope: ChangeScope, found: T) => Promise<void>;
}

/** Removes the items that exist, and returns their number. */
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

/** The fields of an entry that the body contains. */
export const sentOf = <F extends object>(defaults: F, body: Partial<F>): Partial<F> =>
  // Only names of these fields are left, and the body was checked.
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(defaults, name))) as Partial<F>;

/** The groups of an entry, which a PUT without groups keeps. */
const groupsKept = (before: MembershipFields | undefined): Partial<MembershipFields> =>
  before === undefined ? {} : { groups: before.groups, group_expiry: before.group_expiry };

/** The first group that has an expiry but does not contain the entry. */
const expiryOutsideGroups = ({ groups, group_expiry }: MembershipFields): number | undefined =>
  Object.keys(group_expiry)
    .map(Number)
    .find((id) => !groups.includes(id));

/** The same after a patch, which may remove a group and leave its expiry: that is not an error. */
export const expiryOutsideGroupsAfter = (
  before: MembershipFields,
  after: MembershipFields,
): number | undefined => expiryOutsideGroups({ ...after, groups: [...after.groups, ...before.groups] });

export const unknownGroup = (id: number): Failure<'unknownGroup'> =>
  fail('unknownGroup', `There is no group ${id}, or the entry is not in it.`);

/** Neither addresses nor clients contain blanks or control characters. */
export const hasBlanks = (text: string): boolean => /[\s\p{Cc}]/u.test(text);

/** The fields after a PUT: groups that are left out stay unchanged, other fields get their defaults. */
export function replacedFields<Fields extends MembershipFields>(
  defaults: Fields,
  before: MembershipFields | undefined,
  body: Partial<Fields>,
): Fields | Failure<'unknownGroup'> {
  const fields = { ...defaults, ...groupsKept(before), ...sentOf(defaults, body) };
  const outsideGroup = body.group_expiry === undefined ? undefined : expiryOutsideGroups(fields);
  return outsideGroup === undefined ? fields : unknownGroup(outsideGroup);
}
