// Handlers of groups. Reads are answered from memory; writes read the group again inside the change, because
// another request may have changed it since.

import { endpoints, fail, type Failure } from '#contract';
import { actorOf } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import type { Schedule } from '#store';
import { type ChangeScope, type Storage, writeFailure } from '#store/database';
import {
  deleteGroup,
  findGroup,
  type Group,
  type GroupFields,
  insertGroup,
  updateGroup,
} from '#store/database/entities';
import { readSchedules, type ScheduleSent } from '#control/blocking';
import { etagOf, mayChange } from './etag.ts';
import { GroupsReply, presentGroup } from './group-reply.ts';
import { unknownNames } from './patch.ts';
import { changeItem, patchedFields, removeItem } from './stored-item.ts';
import { duplicate, processedOf, type Processed } from './processed.ts';
import { capacityFailure, windowCapacityFailure } from './capacity.ts';

type Names =
  | 'getGroups'
  | 'createGroups'
  | 'getGroup'
  | 'putGroup'
  | 'patchGroup'
  | 'deleteGroup'
  | 'batchDeleteGroups';
interface Parts extends Pick<Storage, 'read' | 'change'> {
  readonly nowSeconds: () => number;
  /** The time zone of windows without one. */
  readonly systemZone: () => string;
}

const defaultGroupId = 0;

type PatchableFields = Pick<Group, 'comment' | 'enabled' | 'schedules' | 'privacy'> & {
  /** Null leaves the name unchanged. */
  readonly name: string | null;
};
const defaults: Omit<PatchableFields, 'name'> = { comment: null, enabled: true, schedules: [], privacy: 0 };

export const createGroupHandlers = (parts: Parts): Pick<Handlers, Names> => {
  const all = new GroupsReply(parts.read.groups);
  return {
    getGroups: () => ({ status: 200, body: all.at(parts.nowSeconds()) }),
    getGroup: ({ params }) => {
      const group = parts.read.groups.get(params.name);
      if (group === undefined) return absent(params.name);
      const shown = presentGroup(group, parts.nowSeconds());
      return { status: 200, body: { groups: [shown] }, headers: { etag: etagOf(group, shown) } };
    },
    createGroups: (request) => createGroups(parts, request),
    putGroup: (request) => putGroup(parts, request),
    patchGroup: (request) => patchGroup(parts, request),
    deleteGroup: (request) => removeGroup(parts, request),
    batchDeleteGroups: (request) => removeGroups(parts, request),
  };
};

const createGroups = async (parts: Parts, { body, caller }: Request<'createGroups'>) => {
  const names = typeof body.name === 'string' ? [body.name] : body.name;
  const unusable = names.map((name) => nameFailure(name)).find((failure) => failure !== undefined);
  if (unusable !== undefined) return unusable;
  const schedules = schedulesOf(parts, body.schedules);
  if (schedules !== undefined && 'failure' in schedules) return schedules;
  const { comment = null, enabled = true, privacy } = body;
  const rest = { comment, enabled, schedules, privacy };
  const outcome = await parts.change(actorOf(caller), async (scope) => {
    const overCapacity = groupCapacityFailure(parts, names, names.length, schedules);
    return overCapacity ?? (await insertAll(scope, names, rest));
  });
  if (!outcome.ok) return writeFailure(outcome);
  if ('failure' in outcome.value) return outcome.value;
  return creationReply(outcome.value, rest.enabled, parts.nowSeconds());
};

const putGroup = async (parts: Parts, { params, body, caller, ifMatch }: Request<'putGroup'>) => {
  const { change, nowSeconds } = parts;
  const schedules = schedulesOf(parts, body.schedules);
  if (schedules !== undefined && 'failure' in schedules) return schedules;
  const fields = {
    name: body.name ?? params.name,
    comment: body.comment ?? null,
    enabled: body.enabled ?? true,
    schedules,
    privacy: body.privacy,
  };
  const outcome = await change(actorOf(caller), async (scope) => {
    const before = await findGroup(scope, params.name);
    if (!mayChange(ifMatch, before)) return fail('preconditionFailed');
    const refused =
      nameFailure(fields.name, before) ??
      groupCapacityFailure(parts, [params.name], before === undefined ? 1 : 0, schedules);
    if (refused !== undefined) return refused;
    const group =
      before === undefined ? await insertGroup(scope, fields) : await updateGroup(scope, before, fields);
    return group ?? duplicate(fields.name, fields.enabled, uniqueness);
  });
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : storedReply(outcome.value, nowSeconds());
};

const patchGroup = async (parts: Parts, request: Request<'patchGroup'>) => {
  const { body } = request;
  const stored = await changeItem(itemOf(parts, request), request, async (scope, before) => {
    const fields = patchedGroup(parts, before, body);
    if ('failure' in fields) return fields;
    return (await updateGroup(scope, before, fields)) ?? duplicate(fields.name, fields.enabled, uniqueness);
  });
  if ('failure' in stored) return stored;
  const ignored = unknownNames(body, ['name', ...Object.keys(defaults)]);
  return { ...storedReply(stored, parts.nowSeconds()), ignored };
};

const itemOf = ({ change }: Parts, { params }: Pick<Request<'deleteGroup'>, 'params'>) => ({
  change,
  find: async (scope: ChangeScope) => (await findGroup(scope, params.name)) ?? absent(params.name),
});

const checkFields = createCheck(endpoints.putGroup.body);

/** The patched windows are read like those of a PUT. */
const patchedGroup = (
  parts: Parts,
  before: Group,
  patch: object,
): GroupFields | Failure<'invalidPatch' | 'invalidGroupName' | 'invalidSchedule'> => {
  const { name } = before;
  const fields = patchedFields<PatchableFields>({ ...defaults, name }, checkFields, before, patch);
  if ('failure' in fields) return fields;
  const schedules = schedulesOf(parts, fields.schedules);
  if (schedules !== undefined && 'failure' in schedules) return schedules;
  const refused =
    nameFailure(fields.name ?? name, before) ??
    windowCapacityFailure(parts.read.groups, [name], schedules?.length ?? 0);
  return refused ?? { ...fields, name: fields.name ?? name, schedules };
};

/** To be called inside a change. */
const groupCapacityFailure = (
  { read }: Parts,
  names: readonly string[],
  more: number,
  schedules: readonly Schedule[] | undefined,
): Failure<'collectionFull' | 'invalidSchedule'> | undefined =>
  capacityFailure(read, 'groups', more) ?? windowCapacityFailure(read.groups, names, schedules?.length ?? 0);

/** The schedules of the request in their stored form; undefined when it has none. */
const schedulesOf = (
  { systemZone }: Parts,
  sent: readonly ScheduleSent[] | undefined,
): readonly Schedule[] | undefined | Failure<'invalidSchedule'> => {
  if (sent === undefined) return undefined;
  const outcome = readSchedules(sent, systemZone());
  return outcome.ok ? outcome.schedules : fail('invalidSchedule', outcome.problem);
};

const removeGroup = (parts: Parts, request: Request<'deleteGroup'>) => {
  const item = itemOf(parts, request);
  const find = async (scope: ChangeScope) => {
    const group = await item.find(scope);
    const isDefault = !('failure' in group) && group.id === defaultGroupId;
    return isDefault ? fail('defaultGroup', group.name) : group;
  };
  return removeItem({ ...item, find }, request, deleteGroup);
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

/** Programs remove `.` and `..` from paths, and a blank name cannot be seen. An old name may stay. */
const nameFailure = (name: string, before?: Group): Failure<'invalidGroupName'> | undefined => {
  const isUsable = name !== '.' && name !== '..' && name.trim() !== '';
  return isUsable || name === before?.name ? undefined : fail('invalidGroupName', name);
};

interface Inserted {
  readonly made: readonly Group[];
  readonly processed: Processed;
}

const insertAll = async (
  scope: ChangeScope,
  names: readonly string[],
  rest: Omit<GroupFields, 'name'>,
): Promise<Inserted> => {
  const processed: Processed = { success: [], errors: [] };
  const made: Group[] = [];
  for (const name of names) {
    const group = await insertGroup(scope, { name, ...rest });
    if (group === undefined) processed.errors.push({ item: name, error: uniqueness });
    else processed.success.push({ item: name });
    if (group !== undefined) made.push(group);
  }
  return { made, processed };
};

/** A success if at least one group was created; a failure if all names already exist. */
const creationReply = ({ made, processed }: Inserted, enabled: boolean, nowSeconds: number) => {
  const last = made.at(-1);
  if (last === undefined) return duplicate(processed.errors[0]?.item ?? '', enabled, uniqueness, processed);
  const body = { groups: made.map((group) => presentGroup(group, nowSeconds)), processed };
  return { status: 201 as const, body, headers: headersOf(last, nowSeconds) };
};

const storedReply = (group: Group, nowSeconds: number) => ({
  status: 200 as const,
  body: { groups: [presentGroup(group, nowSeconds)], processed: processedOf(group.name) },
  headers: headersOf(group, nowSeconds),
});

const headersOf = (group: Group, nowSeconds: number) => ({
  location: `/api/groups/${encodeURIComponent(group.name)}`,
  etag: etagOf(group, presentGroup(group, nowSeconds)),
});

/** Existing clients compare this text. */
const uniqueness = 'UNIQUE constraint failed: group.name';

const absent = (name: string): Failure<'notFound'> => fail('notFound', name);
