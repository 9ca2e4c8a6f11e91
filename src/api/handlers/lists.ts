// Handlers of subscribed lists. Addresses are stored unchanged and shown with their passwords masked. Whether
// an address can be downloaded is tried later and reported in the status of the list.

import { endpoints, entities, fail, type ReplyBody } from '#contract';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import type { ChangeScope, Storage } from '#store/database';
import {
  isMasked,
  isSameAddress,
  type ListFields,
  type ListKey,
  listsIn,
  listTable,
  maskedAddress,
  type NewList,
  reportFields,
  type StoredList,
  withMaskedAddress,
} from '#store/database/entities';
import { capacityFailure } from './capacity.ts';
import { entityReplies, type EntityKind } from './entity-replies.ts';
import { createdFields, groupsFailure, patchEntry, replacedFields } from './entries.ts';
import { existingItems } from './existing-items.ts';
import { addressFailure, rightsOf } from './list-address.ts';
import { presentList } from './list-reply.ts';
import { findNamedList, namedListsIn, noList } from './named-list.ts';
import { newItems } from './new-items.ts';

type Names =
  | 'getLists'
  | 'createLists'
  | 'getList'
  | 'putList'
  | 'patchList'
  | 'deleteList'
  | 'batchDeleteLists';
type Parts = Pick<Storage, 'read' | 'change'>;

const defaults: ListFields = entities.lists.fields;

const entity: EntityKind<NewList, StoredList, ReplyBody<'getList', 200>> = {
  ...entities.lists,
  table: listTable,
  bodyOf: (lists) => ({ lists: lists.map(presentList) }),
  hasDerivedFields: true,
  maskedName: ({ address }) => maskedAddress(address),
  locationOf: ({ address, type }) => `/api/lists/${encodeURIComponent(maskedAddress(address))}?type=${type}`,
  // An update of the list does not count as a change by another user.
  stateOf: (list) =>
    Object.fromEntries(
      Object.entries(withMaskedAddress(list)).filter(([name]) => !reportFields.includes(name)),
    ),
};

export const createListHandlers = (parts: Parts): Pick<Handlers, Names> => ({
  getLists: (request) => getLists(parts, request),
  getList: (request) => getList(parts, request),
  createLists: (request) => createLists(parts, request),
  putList: (request) => putList(parts, request),
  patchList: (request) => patchList(parts, request),
  deleteList: (request) => existingItems(entity, parts.change).remove(request, findNamed(request)),
  batchDeleteLists: (request) => removeLists(parts, request),
});

const getLists = ({ read }: Parts, { query }: Request<'getLists'>) => {
  if (read.lists.problem !== undefined) return fail('collectionUnreadable', read.lists.problem);
  if (query.type === undefined) return { status: 200 as const, body: read.lists.serialised() };
  const lists = read.lists.filter(({ type }) => type === query.type).map(presentList);
  return { status: 200 as const, body: { lists } };
};

const getList = ({ read }: Parts, { params, query }: Request<'getList'>) => {
  if (read.lists.problem !== undefined) return fail('collectionUnreadable', read.lists.problem);
  const types = query.type === undefined ? (['block', 'allow'] as const) : [query.type];
  const found = types.flatMap((type) => namedListsIn(read.lists, { address: params.list, type }));
  const [first, second] = found;
  if (first === undefined) return noList(params.list);
  return second === undefined
    ? entityReplies(entity).found(first)
    : { status: 200 as const, body: { lists: found.map(presentList) }, headers: {} };
};

const createLists = ({ read, change }: Parts, request: Request<'createLists'>) => {
  const { query, body, caller } = request;
  const addresses = typeof body.address === 'string' ? [body.address] : body.address;
  const added_with = rightsOf(caller);
  const fields = createdFields(defaults, body);
  const isThere = (address: string) => listsIn(read.lists, { address, type: query.type }).length > 0;
  return newItems(entity, change).create(request, {
    items: addresses.map((address) => ({ address, type: query.type, added_with, ...fields })),
    refused: async (scope) => {
      const wrong = addresses.map((one) => (isThere(one) ? undefined : addressFailure(one, caller)));
      return (
        wrong.find((one) => one !== undefined) ??
        capacityFailure(read, 'lists', addresses.length) ??
        (await groupsFailure(scope, fields))
      );
    },
  });
};

const putList = ({ read, change }: Parts, request: Request<'putList'>) => {
  const { params, query, body, caller } = request;
  const place = { address: params.list, type: query.type };
  return newItems(entity, change).put(request, {
    find: (scope) => findNamedList(scope, place),
    wanted: async (scope, before) => {
      const isNew = before === undefined;
      const wrong = isNew
        ? (addressFailure(params.list, caller) ?? capacityFailure(read, 'lists', 1))
        : undefined;
      if (wrong !== undefined) return wrong;
      const fields = await replacedFields(scope, defaults, before, body);
      if ('failure' in fields) return fields;
      const isOther = !isNew && hasOtherPassword(before, place);
      return isOther
        ? entityReplies(entity).taken({ ...place, added_with: rightsOf(caller), ...fields })
        : { ...place, added_with: rightsOf(caller), ...fields };
    },
  });
};

/** Another password is another address; a masked address or an id means the existing list. */
function hasOtherPassword(before: StoredList, { address }: ListKey): boolean {
  return before.address !== address && isSameAddress(before.address, address) && !isMasked(address);
}

const patchList = ({ change }: Parts, request: Request<'patchList'>) =>
  existingItems(entity, change).patch(request, {
    find: findNamed(request),
    ...patchEntry(listTable, defaults, checkFields, request.body),
  });

const checkFields = createCheck(endpoints.putList.body);

const findNamed =
  ({ params, query }: Pick<Request<'deleteList'>, 'params' | 'query'>) =>
  async (scope: ChangeScope) =>
    (await findNamedList(scope, { address: params.list, type: query.type })) ?? noList(params.list);

const removeLists = ({ change }: Parts, request: Request<'batchDeleteLists'>) =>
  existingItems(entity, change).removeAll(request, async (scope, { item, type = request.query.type }) =>
    type === undefined ? undefined : findNamedList(scope, { address: item, type }),
  );
