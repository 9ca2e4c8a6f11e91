// Handlers of subscribed lists. Addresses are stored unchanged and shown with their passwords masked. Whether
// an address can be downloaded is tried later and reported in the status of the list.

import { endpoints, fail, type Failure } from '#contract';
import { actorOf } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import { type ChangeScope, type Storage, writeFailure } from '#store/database';
import {
  deleteList,
  insertList,
  isMasked,
  isSameAddress,
  type ListFields,
  type ListPlace,
  listsIn,
  maskedAddress,
  missingGroup,
  reportFields,
  type StoredList,
  updateList,
  withMaskedAddress,
} from '#store/database/entities';
import {
  insertEach,
  removedReply,
  replacedFields,
  sentOf,
  expiryOutsideGroupsAfter,
  unknownGroup,
  type Inserted,
} from './entries.ts';
import { etagOf, mayChange } from './etag.ts';
import { addressFailure, rightsOf } from './list-address.ts';
import { presentList } from './list-reply.ts';
import { findNamedList, namedListsIn, noList } from './named-list.ts';
import { unknownNames } from './patch.ts';
import { changeItem, patchedFields, removeItem } from './stored-item.ts';
import { duplicate, processedOf, type Processed } from './processed.ts';
import { capacityFailure } from './capacity.ts';

type Names =
  | 'getLists'
  | 'createLists'
  | 'getList'
  | 'putList'
  | 'patchList'
  | 'deleteList'
  | 'batchDeleteLists';
type Parts = Pick<Storage, 'read' | 'change'>;

const defaults: ListFields = { comment: null, enabled: true, groups: [0], group_expiry: {} };

export const createListHandlers = (parts: Parts): Pick<Handlers, Names> => ({
  getLists: (request) => getLists(parts, request),
  getList: (request) => getList(parts, request),
  createLists: (request) => createLists(parts, request),
  putList: (request) => putList(parts, request),
  patchList: (request) => patchList(parts, request),
  deleteList: (request) => removeList(parts, request),
  batchDeleteLists: (request) => removeLists(parts, request),
});

const getLists = ({ read }: Parts, { query }: Request<'getLists'>) => {
  if (read.listsProblem !== undefined) return fail('collectionUnreadable', read.listsProblem);
  if (query.type === undefined) return { status: 200 as const, body: read.lists.serialised() };
  const lists = read.lists.filter(({ type }) => type === query.type).map(presentList);
  return { status: 200 as const, body: { lists } };
};

const getList = ({ read }: Parts, { params, query }: Request<'getList'>) => {
  if (read.listsProblem !== undefined) return fail('collectionUnreadable', read.listsProblem);
  const types = query.type === undefined ? (['block', 'allow'] as const) : [query.type];
  const found = types.flatMap((type) => namedListsIn(read.lists, { address: params.list, type }));
  const [first, second] = found;
  if (first === undefined) return noList(params.list);
  const headers = second === undefined ? { etag: tagOf(first) } : {};
  return { status: 200 as const, body: { lists: found.map(presentList) }, headers };
};

const createLists = async ({ read, change }: Parts, { query, body, caller }: Request<'createLists'>) => {
  const items = typeof body.address === 'string' ? [body.address] : body.address;
  const added_with = rightsOf(caller);
  const fields = { ...defaults, ...sentOf(defaults, body) };
  const insertion = (scope: ChangeScope) => ({
    items,
    sent: items,
    fields,
    insert: (address: string) => insertList(scope, { address, type: query.type, added_with }, fields),
    uniqueness,
    overCapacity: capacityFailure(read, 'lists', items.length),
  });
  const isThere = (address: string) => listsIn(read.lists, { address, type: query.type }).length > 0;
  const outcome = await change(actorOf(caller), async (scope) => {
    const wrong = items.map((item) => (isThere(item) ? undefined : addressFailure(item, caller)));
    return wrong.find((one) => one !== undefined) ?? insertEach(scope, insertion(scope));
  });
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : creationReply(outcome.value, fields.enabled);
};

const putList = async (
  { read, change }: Parts,
  { params, query, body, caller, ifMatch }: Request<'putList'>,
) => {
  const place = { address: params.list, type: query.type, added_with: rightsOf(caller) };
  const outcome = await change(actorOf(caller), async (scope) => {
    const before = await findNamedList(scope, place);
    if (before !== undefined && 'failure' in before) return before;
    if (!mayChange(ifMatch, before && stateOf(before))) return fail('preconditionFailed');
    const isNew = before === undefined;
    const wrong = isNew
      ? (addressFailure(params.list, caller) ?? capacityFailure(read, 'lists', 1))
      : undefined;
    if (wrong !== undefined) return wrong;
    const fields = replacedFields(defaults, before, body);
    return 'failure' in fields ? fields : write(scope, before, place, fields);
  });
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : storedReply(outcome.value);
};

const patchList = async (parts: Parts, request: Request<'patchList'>) => {
  const { body } = request;
  const stored = await changeItem(itemOf(parts, request), request, async (scope, before) => {
    const fields = patchedFields(defaults, checkFields, before, body);
    if ('failure' in fields) return fields;
    const missing = expiryOutsideGroupsAfter(before, fields) ?? (await missingGroup(scope, fields.groups));
    return missing === undefined ? updateList(scope, before, fields) : unknownGroup(missing);
  });
  if ('failure' in stored) return stored;
  return { ...storedReply(stored), ignored: unknownNames(body, Object.keys(defaults)) };
};

const removeList = (parts: Parts, request: Request<'deleteList'>) =>
  removeItem(itemOf(parts, request), request, deleteList);

const itemOf = ({ change }: Parts, { params, query }: Pick<Request<'deleteList'>, 'params' | 'query'>) => ({
  change,
  stateOf,
  find: async (scope: ChangeScope) =>
    (await findNamedList(scope, { address: params.list, type: query.type })) ?? noList(params.list),
});

const removeLists = async ({ change }: Parts, { query, body, caller }: Request<'batchDeleteLists'>) => {
  const outcome = await change(actorOf(caller), async (scope) => {
    const named = await namedInBatch(scope, body, query.type);
    if ('failure' in named) return named;
    for (const list of named.values()) await deleteList(scope, list);
    return named.size;
  });
  if (!outcome.ok) return writeFailure(outcome);
  return typeof outcome.value === 'number'
    ? removedReply({ ...outcome, value: outcome.value })
    : outcome.value;
};

/** Each list once, by its id. If one item names several lists, the whole batch is refused. */
async function namedInBatch(
  scope: ChangeScope,
  items: Request<'batchDeleteLists'>['body'],
  defaultType: StoredList['type'] | undefined,
): Promise<ReadonlyMap<number, StoredList> | Failure<'ambiguousList'>> {
  const named = new Map<number, StoredList>();
  for (const { item, type = defaultType } of items) {
    const found = type === undefined ? undefined : await findNamedList(scope, { address: item, type });
    if (found === undefined) continue;
    if ('failure' in found) return found;
    named.set(found.id, found);
  }
  return named;
}

/** Inserts a list, or updates the existing one. */
const write = async (
  scope: ChangeScope,
  before: StoredList | undefined,
  place: ListPlace & Pick<StoredList, 'added_with'>,
  fields: ListFields,
): Promise<StoredList | Failure<'unknownGroup' | 'duplicate'>> => {
  const missing = await missingGroup(scope, fields.groups);
  if (missing !== undefined) return unknownGroup(missing);
  if (before !== undefined && !hasOtherPassword(before, place)) return updateList(scope, before, fields);
  const made = await insertList(scope, place, fields);
  if (made !== undefined) return made;
  const processed = { success: [], errors: [{ item: maskedAddress(place.address), error: uniqueness }] };
  return duplicate(place.address, fields.enabled, uniqueness, processed);
};

/** Another password is another address; a masked address or an id means the existing list. */
function hasOtherPassword(before: StoredList, { address }: ListPlace): boolean {
  return before.address !== address && isSameAddress(before.address, address) && !isMasked(address);
}

const checkFields = createCheck(endpoints.putList.body);

/**
 * The fields of a list that users set. The entity tag covers only these, so that an update of the list does
 * not count as a change by another user.
 */
const stateOf = (list: StoredList): object =>
  Object.fromEntries(
    Object.entries(withMaskedAddress(list)).filter(([name]) => !reportFields.includes(name)),
  );

const tagOf = (list: StoredList): string => etagOf(stateOf(list), presentList(list));

const creationReply = ({ made, processed, duplicate: sent }: Inserted<StoredList>, enabled: boolean) => {
  const last = made.at(-1);
  // The hint contains the submitted address unmasked, as the specification requires; its sender knows it.
  if (last === undefined) return duplicate(sent, enabled, uniqueness, maskedItems(processed));
  const body = { lists: made.map(presentList), processed: maskedItems(processed) };
  return { status: 201 as const, body, headers: headersOf(last) };
};

const storedReply = (list: StoredList) => ({
  status: 200 as const,
  body: { lists: [presentList(list)], processed: processedOf(maskedAddress(list.address)) },
  headers: headersOf(list),
});

const headersOf = (list: StoredList) => ({
  location: `/api/lists/${encodeURIComponent(maskedAddress(list.address))}?type=${list.type}`,
  etag: tagOf(list),
});

const maskedItems = ({ success, errors }: Processed): Processed => ({
  success: success.map(({ item }) => ({ item: maskedAddress(item) })),
  errors: errors.map(({ item, error }) => ({ item: maskedAddress(item), error })),
});

/** Existing clients compare this text. */
const uniqueness = 'UNIQUE constraint failed: adlist.address, adlist.type';
