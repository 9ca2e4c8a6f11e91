// Handlers of groups. Reads are answered from memory; writes look again inside the change, because what is in
// memory may have been written by another request a moment ago.

import { fail, limits, type Failure } from '#contract';
import { actorOf } from '../http/caller.ts';
import type { Handlers } from '../http/handler.ts';
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

type GroupHandlers = Pick<Handlers, 'getGroups' | 'createGroups' | 'getGroup' | 'putGroup' | 'deleteGroup'>;

const defaultGroupId = 0;

export const createGroupHandlers = ({ read, change }: Pick<Storage, 'read' | 'change'>): GroupHandlers => ({
  getGroups: () => ({ status: 200, body: read.groups.serialised() }),

  getGroup: ({ params }) => {
    const group = read.groups.get(params.name);
    return group === undefined
      ? fail('notFound', `/api/groups/${params.name}`)
      : { status: 200, body: { groups: [group] } };
  },

  createGroups: async ({ body, caller }) => {
    const names = typeof body.name === 'string' ? [body.name] : body.name;
    if (read.groups.size + names.length > limits.entitiesPerCollection) return collectionFull();
    const rest = { comment: body.comment ?? null, enabled: body.enabled ?? true };
    const outcome = await change(actorOf(caller), (scope) => insertAll(scope, names, rest));
    return outcome.ok ? creationReply(outcome.value, rest.enabled) : writeFailure(outcome);
  },

  putGroup: async ({ params, body, caller }) => {
    if (read.groups.size >= limits.entitiesPerCollection) return collectionFull();
    const fields = {
      name: body.name ?? params.name,
      comment: body.comment ?? null,
      enabled: body.enabled ?? true,
    };
    const outcome = await change(actorOf(caller), (scope) => put(scope, params.name, fields));
    if (!outcome.ok) return writeFailure(outcome);
    if (outcome.value === undefined) return duplicate(fields.name, fields.enabled);
    return { status: 200, body: { groups: [outcome.value], processed: processedAll([outcome.value.name]) } };
  },

  deleteGroup: async ({ params, caller }) => {
    const outcome = await change(actorOf(caller), async (scope) => {
      const group = await findGroup(scope, params.name);
      if (group !== undefined && group.id !== defaultGroupId) await deleteGroup(scope, group);
      return group;
    });
    if (!outcome.ok) return writeFailure(outcome);
    if (outcome.value === undefined) return fail('notFound', `/api/groups/${params.name}`);
    return outcome.value.id === defaultGroupId ? fail('defaultGroup', params.name) : { status: 204 };
  },
});

type Processed = { readonly success: { item: string }[]; readonly errors: { item: string; error: string }[] };

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
  if (last === undefined) return duplicate(processed.errors[0]?.item ?? '', enabled, { processed });
  const headers = { location: `/api/groups/${encodeURIComponent(last.name)}` };
  return { status: 201 as const, body: { groups: [last], processed }, headers };
};

const put = async (scope: ChangeScope, name: string, fields: GroupFields): Promise<Group | undefined> => {
  const before = await findGroup(scope, name);
  return before === undefined ? insertGroup(scope, fields) : updateGroup(scope, before, fields);
};

const processedAll = (names: readonly string[]): Processed => ({
  success: names.map((item) => ({ item })),
  errors: [],
});

const uniqueness = 'UNIQUE constraint failed: groups.name';

const duplicate = (argument: string, enabled: boolean, beside?: Failure['beside']): Failure<'duplicate'> =>
  fail('duplicate', { argument, enabled, sql_msg: uniqueness }, beside);

const collectionFull = (): Failure<'collectionFull'> =>
  fail('collectionFull', `There may be ${limits.entitiesPerCollection} groups.`);
