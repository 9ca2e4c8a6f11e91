// What the writes of domains, lists and clients have in common: they belong to groups, and fields that are
// left out have defaults.

import { fail, type Failure } from '#contract';
import type { ChangeScope } from '#store/database';
import { type MembershipFields, missingGroup } from '#store/database/entities';
import { patchedFields } from './patch.ts';

/** The fields of a new entry. */
export function createdFields<Fields extends object>(defaults: Fields, body: Partial<Fields>): Fields {
  return { ...defaults, ...sentOf(defaults, body) };
}

/** The fields of an entry that the body contains. */
function sentOf<Fields extends object>(defaults: Fields, body: Partial<Fields>): Partial<Fields> {
  const sent = Object.entries(body).filter(([name]) => Object.hasOwn(defaults, name));
  // Only names of these fields are left, and the body was checked.
  return Object.fromEntries(sent) as Partial<Fields>;
}

/** Why an entry cannot have these groups. */
export async function groupsFailure(
  scope: ChangeScope,
  fields: MembershipFields,
): Promise<Failure<'unknownGroup'> | undefined> {
  const missing = expiryOutsideGroups(fields) ?? (await missingGroup(scope, fields.groups));
  return missing === undefined ? undefined : unknownGroup(missing);
}

/** The fields after a PUT: groups that are left out stay unchanged, other fields get their defaults. */
export async function replacedFields<Fields extends MembershipFields>(
  scope: ChangeScope,
  defaults: Fields,
  before: MembershipFields | undefined,
  body: Partial<Fields>,
): Promise<Fields | Failure<'unknownGroup'>> {
  const kept = before === undefined ? {} : { groups: before.groups, group_expiry: before.group_expiry };
  const fields = { ...defaults, ...kept, ...sentOf(defaults, body) };
  const outsideGroup = body.group_expiry === undefined ? undefined : expiryOutsideGroups(fields);
  const missing = outsideGroup ?? (await missingGroup(scope, fields.groups));
  return missing === undefined ? fields : unknownGroup(missing);
}

interface Updates<Fields, Item> {
  readonly update: (scope: ChangeScope, before: Item, fields: Fields) => Promise<Item | undefined>;
}

/**
 * How a PATCH changes an entry. It may remove a group and leave its expiry: that is not an error. The fields
 * are checked like the body of a PUT.
 */
export function patchEntry<Fields extends MembershipFields, Item extends Fields>(
  { update }: Updates<Fields, Item>,
  defaults: Fields,
  check: (fields: unknown) => string | undefined,
  patch: object,
) {
  return {
    known: Object.keys(defaults),
    write: async (scope: ChangeScope, before: Item) => {
      const fields = patchedFields<Fields>(defaults, check, before, patch);
      if ('failure' in fields) return fields;
      const groups = [...fields.groups, ...before.groups];
      const missing =
        expiryOutsideGroups({ ...fields, groups }) ?? (await missingGroup(scope, fields.groups));
      if (missing !== undefined) return unknownGroup(missing);
      // The key stays the same, so that only a missing row refuses the update.
      return (await update(scope, before, fields)) ?? fail('notFound');
    },
  };
}

/** The first group that has an expiry but does not contain the entry. */
function expiryOutsideGroups({ groups, group_expiry }: MembershipFields): number | undefined {
  return Object.keys(group_expiry)
    .map(Number)
    .find((id) => !groups.includes(id));
}

export function unknownGroup(id: number): Failure<'unknownGroup'> {
  return fail('unknownGroup', `There is no group ${id}, or the entry is not in it.`);
}

/** Neither addresses nor clients contain blanks or control characters. */
export function hasBlanks(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}
