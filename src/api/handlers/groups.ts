// Handlers of groups. Reads are answered from memory; writes read the group again inside the change, because
// another request may have changed it since.

import { endpoints, entities, fail, type Failure, type ReplyBody } from '#contract';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import type { Schedule } from '#store';
import type { ChangeScope, Storage } from '#store/database';
import { type Group, type GroupFields, groupTable } from '#store/database/entities';
import { readSchedules, type ScheduleSent } from '#control/blocking';
import { capacityFailure, windowCapacityFailure } from './capacity.ts';
import { entityReplies, type EntityKind } from './entity-replies.ts';
import { existingItems } from './existing-items.ts';
import { GroupsReply, presentGroup } from './group-reply.ts';
import { newItems } from './new-items.ts';
import { patchedFields } from './patch.ts';

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
const defaults: Omit<PatchableFields, 'name'> = entities.groups.fields;

type NewGroup = { readonly name: string } & GroupFields;

const kindOf = ({ nowSeconds }: Parts): EntityKind<NewGroup, Group, ReplyBody<'getGroup', 200>> => ({
  ...entities.groups,
  table: groupTable,
  bodyOf: (groups) => ({ groups: groups.map((group) => presentGroup(group, nowSeconds())) }),
  hasDerivedFields: true,
});

export const createGroupHandlers = (parts: Parts): Pick<Handlers, Names> => {
  const all = new GroupsReply(parts.read.groups);
  const replies = entityReplies(kindOf(parts));
  return {
    getGroups: () => ({ status: 200, body: all.at(parts.nowSeconds()) }),
    getGroup: ({ params }) => {
      const group = parts.read.groups.get(params.name);
      return group === undefined ? absent(params.name) : replies.found(group);
    },
    createGroups: (request) => createGroups(parts, request),
    putGroup: (request) => putGroup(parts, request),
    patchGroup: (request) => patchGroup(parts, request),
    deleteGroup: (request) => removeGroup(parts, request),
    batchDeleteGroups: (request) => removeGroups(parts, request),
  };
};

const createGroups = (parts: Parts, request: Request<'createGroups'>) => {
  const { body } = request;
  const names = typeof body.name === 'string' ? [body.name] : body.name;
  const unusable = names.map((name) => nameFailure(name)).find((failure) => failure !== undefined);
  if (unusable !== undefined) return unusable;
  const schedules = schedulesOf(parts, body.schedules);
  if (schedules !== undefined && 'failure' in schedules) return schedules;
  const { comment = null, enabled = true, privacy } = body;
  return newItems(kindOf(parts), parts.change).create(request, {
    items: names.map((name) => ({ name, comment, enabled, schedules, privacy })),
    refused: async () => groupCapacityFailure(parts, names, names.length, schedules),
  });
};

const putGroup = (parts: Parts, request: Request<'putGroup'>) => {
  const { params, body } = request;
  const schedules = schedulesOf(parts, body.schedules);
  if (schedules !== undefined && 'failure' in schedules) return schedules;
  const { comment = null, enabled = true, privacy } = body;
  const group = { name: body.name ?? params.name, comment, enabled, schedules, privacy };
  return newItems(kindOf(parts), parts.change).put(request, {
    find: (scope) => groupTable.find(scope, params),
    wanted: async (_scope, before) =>
      nameFailure(group.name, before) ??
      groupCapacityFailure(parts, [params.name], before === undefined ? 1 : 0, schedules) ??
      group,
  });
};

const patchGroup = (parts: Parts, request: Request<'patchGroup'>) => {
  const kind = kindOf(parts);
  return existingItems(kind, parts.change).patch(request, {
    find: findNamed(request),
    write: async (scope, before) => {
      const fields = patchedGroup(parts, before, request.body);
      if ('failure' in fields) return fields;
      return (await groupTable.update(scope, before, fields)) ?? entityReplies(kind).taken(fields);
    },
    known: ['name', ...Object.keys(defaults)],
  });
};

const findNamed =
  ({ params }: Pick<Request<'deleteGroup'>, 'params'>) =>
  async (scope: ChangeScope) =>
    (await groupTable.find(scope, params)) ?? absent(params.name);

const checkFields = createCheck(endpoints.putGroup.body);

/** The patched windows are read like those of a PUT. */
const patchedGroup = (
  parts: Parts,
  before: Group,
  patch: object,
): NewGroup | Failure<'invalidPatch' | 'invalidGroupName' | 'invalidSchedule'> => {
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

const removeGroup = (parts: Parts, request: Request<'deleteGroup'>) =>
  existingItems(kindOf(parts), parts.change).remove(request, async (scope) => {
    const group = await findNamed(request)(scope);
    const isDefault = !('failure' in group) && group.id === defaultGroupId;
    return isDefault ? fail('defaultGroup', group.name) : group;
  });

/** The default group is skipped; it is named if there was no other to remove. */
const removeGroups = async (parts: Parts, request: Request<'batchDeleteGroups'>) => {
  const reply = await existingItems(kindOf(parts), parts.change).removeAll(
    request,
    async (scope, { item }) => {
      const group = await groupTable.find(scope, { name: item });
      return group?.id === defaultGroupId ? undefined : group;
    },
  );
  const isDefault = ({ item }: { readonly item: string }) =>
    parts.read.groups.get(item)?.id === defaultGroupId;
  const kept = request.body.find(isDefault);
  const isAbsent = 'failure' in reply && reply.failure === 'notFound';
  return isAbsent && kept !== undefined ? fail('defaultGroup', kept.item) : reply;
};

/** Programs remove `.` and `..` from paths, and a blank name cannot be seen. An old name may stay. */
const nameFailure = (name: string, before?: Group): Failure<'invalidGroupName'> | undefined => {
  const isUsable = name !== '.' && name !== '..' && name.trim() !== '';
  return isUsable || name === before?.name ? undefined : fail('invalidGroupName', name);
};

const absent = (name: string): Failure<'notFound'> => fail('notFound', name);
