// Handlers of groups. Reads are answered from memory; writes look again inside the change, because what is in
// memory may have been written by another request a moment ago.

import { endpoints, fail, limits, type Failure } from '#contract';
import { actorOf } from '../http/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import { writeFailure } from '../http/write-failure.ts';
import type { ChangeScope } from '../storage/change.ts';
import {
  deleteGroup,
  findGroup,
  insertGroup,
  updateGroup,
  type Group,
  type GroupFields,
} from '../storage/groups.ts';
import type { Storage } from '../storage/storage.ts';
import { etagOf, mayChange } from './etag.ts';
import { applyPatch, unknownNames } from './patch.ts';
import { duplicate, processedOf, type Processed } from './processed.ts';

type Names =
  | 'getGroups'
  | 'createGroups'
  | 'getGroup'
  | 'putGroup'
  | 'patchGroup'
  | 'deleteGroup'
  | 'batchDeleteGroups';
type Parts = Pick<Storage, 'read' | 'change'>;

const defaultGroupId = 0;

export const createGroupHandlers = (parts: Parts): Pick<Handlers, Names> => ({
  getGroups: () => ({ status: 200, body: parts.read.groups.serialised() }),
  getGroup: ({ params }) => {
    const group = parts.read.groups.get(params.name);
    if (group === undefined) return absent(params.name);
    return { status: 200, body: { groups: [group] }, headers: { etag: etagOf(group) } };
  },
  createGroups: (request) => createGroups(parts, request),
  putGroup: (request) => putGroup(parts, request),
  patchGroup: (request) => patchGroup(parts, request),
  deleteGroup: (request) => removeGroup(parts, request),
  batchDeleteGroups: (request) => removeGroups(parts, request),
});

const createGroups = async ({ read, change }: Parts, { body, caller }: Request<'createGroups'>) => {
  const names = typeof body.name === 'string' ? [body.name] : body.name;
  if (read.groups.size + names.length > limits.entitiesPerCollection) return collectionFull();
  const rest = { comment: body.comment ?? null, enabled: body.enabled ?? true };
  const outcome = await change(actorOf(caller), (scope) => insertAll(scope, names, rest));
  return outcome.ok ? creationReply(outcome.value, rest.enabled) : writeFailure(outcome);
};

const putGroup = async ({ read, change }: Parts, { params, body, caller, ifMatch }: Request<'putGroup'>) => {
  const fields = {
    name: body.name ?? params.name,
    comment: body.comment ?? null,
    enabled: body.enabled ?? true,
  };
  const outcome = await change(actorOf(caller), async (scope) => {
    const before = await findGroup(scope, params.name);
    if (!mayChange(ifMatch, before)) return fail('preconditionFailed');
    if (before === undefined && read.groups.size >= limits.entitiesPerCollection) return collectionFull();
    const group =
      before === undefined ? await insertGroup(scope, fields) : await updateGroup(scope, before, fields);
    return group ?? duplicate(fields.name, fields.enabled, uniqueness);
  });
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : storedReply(outcome.value);
};

const patchGroup = async ({ change }: Parts, { params, body, caller, ifMatch }: Request<'patchGroup'>) => {
  const outcome = await change(actorOf(caller), async (scope) => {
    const before = await findGroup(scope, params.name);
    if (before === undefined) return absent(params.name);
    if (!mayChange(ifMatch, before)) return fail('preconditionFailed');
    const fields = patchedFields(before, body);
    if ('failure' in fields) return fields;
    return (await updateGroup(scope, before, fields)) ?? duplicate(fields.name, fields.enabled, uniqueness);
  });
  if (!outcome.ok) return writeFailure(outcome);
  if ('failure' in outcome.value) return outcome.value;
  return { ...storedReply(outcome.value), ignored: unknownNames(body, ['name', 'comment', 'enabled']) };
};

const checkFields = createCheck(endpoints.putGroup.body);

/** The fields after a patch, checked as if they had been sent. */
const patchedFields = (
  { name, comment, enabled }: Group,
  patch: object,
): GroupFields | Failure<'invalidPatch'> => {
  const patched = applyPatch({ name, comment, enabled }, patch);
  if (!patched.ok) return fail('invalidPatch', patched.problem);
  const problem = checkFields(patched.value);
  if (problem !== undefined) return fail('invalidPatch', problem);
  // Checked just now against the same schema as a PUT.
  return { name, comment: null, enabled: true, ...(patched.value as Partial<GroupFields>) };
};

const removeGroup = async ({ change }: Parts, { params, caller, ifMatch }: Request<'deleteGroup'>) => {
  const outcome = await change(actorOf(caller), async (scope) => {
    const group = await findGroup(scope, params.name);
    if (group === undefined) return absent(params.name);
    if (group.id === defaultGroupId) return fail('defaultGroup', params.name);
    if (!mayChange(ifMatch, group)) return fail('preconditionFailed');
    await deleteGroup(scope, group);
    return undefined;
  });
  if (!outcome.ok) return writeFailure(outcome);
  return outcome.value ?? { status: 204 as const };
};

const removeGroups = async ({ read, change }: Parts, { body, caller }: Request<'batchDeleteGroups'>) => {
  const outcome = await change(actorOf(caller), async (scope) => {
    let removed = 0;
    for (const { item } of body) {
      const group = await findGroup(scope, item);
      if (group?.id === defaultGroupId) continue;
      if (group !== undefined) await deleteGroup(scope, group);
      removed += group === undefined ? 0 : 1;
    }
    return removed;
  });
  if (!outcome.ok) return writeFailure(outcome);
  if (outcome.value > 0) return { status: 204 as const };
  const kept = body.find(({ item }) => read.groups.get(item)?.id === defaultGroupId);
  return kept === undefined
    ? fail('notFound', 'None of the items is there.')
    : fail('defaultGroup', kept.item);
};

interface Inserted {
  readonly last: Group | undefined;
  readonly processed: Processed;
}

const insertAll = async (
  scope: ChangeScope,
  names: readonly string[],
  rest: Omit<GroupFields, 'name'>,
): Promise<Inserted> => {
  const processed: Processed = { success: [], errors: [] };
  let last: Group | undefined;
  for (const name of names) {
    const group = await insertGroup(scope, { name, ...rest });
    if (group === undefined) processed.errors.push({ item: name, error: uniqueness });
    else processed.success.push({ item: name });
    last = group ?? last;
  }
  return { last, processed };
};

/** Several names of which some were taken are a success; one that was taken, or all, are a failure. */
const creationReply = ({ last, processed }: Inserted, enabled: boolean) => {
  if (last === undefined) return duplicate(processed.errors[0]?.item ?? '', enabled, uniqueness, processed);
  const headers = { location: `/api/groups/${encodeURIComponent(last.name)}`, etag: etagOf(last) };
  return { status: 201 as const, body: { groups: [last], processed }, headers };
};

const storedReply = (group: Group) => ({
  status: 200 as const,
  body: { groups: [group], processed: processedOf(group.name) },
  headers: { etag: etagOf(group) },
});

const uniqueness = 'UNIQUE constraint failed: groups.name';

const absent = (name: string): Failure<'notFound'> => fail('notFound', `/api/groups/${name}`);

const collectionFull = (): Failure<'collectionFull'> =>
  fail('collectionFull', `There may be ${limits.entitiesPerCollection} groups.`);
