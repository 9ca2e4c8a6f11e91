// Handlers of domains. A request is brought into its stored form and checked as a whole before anything is
// written; duplicates are then reported per item. The parser of the policy decides what is a rule.

import { endpoints, fail, type Failure } from '#contract';
import { actorOf } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import { type ChangeScope, type Storage, writeFailure } from '#store/database';
import {
  deleteDomain,
  type DomainFields,
  type DomainKey,
  findDomain,
  insertDomain,
  missingGroup,
  type StoredDomain,
  updateDomain,
} from '#store/database/entities';
import {
  findStored,
  checkedKeys,
  storedAt,
  storedKeys,
  regexSizeFailure,
  type CheckedKey,
} from './domain-key.ts';
import { everyKey, inList, isKind, isListName, isType } from './domain-lists.ts';
import { shownDomain } from '#control/clients';
import {
  insertEach,
  removedReply,
  removeEach,
  replacedFields,
  sentOf,
  expiryOutsideGroupsAfter,
  unknownGroup,
  type Inserted,
} from './entries.ts';
import { etagOf, mayChange } from './etag.ts';
import { unknownNames } from './patch.ts';
import { changeItem, patchedFields, removeItem } from './stored-item.ts';
import { duplicate, processedOf } from './processed.ts';
import { capacityFailure, ruleCapacityFailure } from './capacity.ts';

type Names =
  | 'getDomains'
  | 'getDomainsOf'
  | 'getDomainList'
  | 'createDomains'
  | 'getDomain'
  | 'putDomain'
  | 'patchDomain'
  | 'deleteDomain'
  | 'batchDeleteDomains';

const defaults: DomainFields = {
  comment: null,
  enabled: true,
  groups: [0],
  expires_at: null,
  group_expiry: {},
};

const presentDomain = (stored: StoredDomain) => ({
  ...stored,
  unicode: stored.kind === 'exact' ? shownDomain(stored.domain) : stored.domain,
  groups: [...stored.groups],
});

export const createDomainHandlers = ({
  read,
  change,
}: Pick<Storage, 'read' | 'change'>): Pick<Handlers, Names> => {
  const unreadable = (): Failure<'domainsUnreadable'> | undefined =>
    read.domainsProblem === undefined ? undefined : fail('domainsUnreadable', read.domainsProblem);
  const select = (wanted: (domain: StoredDomain) => boolean) =>
    unreadable() ?? {
      status: 200 as const,
      body: { domains: read.domains.filter(wanted).map(presentDomain) },
    };
  const selectNamed = (domain: string, wanted: (key: DomainKey) => boolean) => {
    const found = everyKey(domain)
      .filter(wanted)
      .flatMap((key) => storedAt(read.domains, storedKeys(key)) ?? []);
    if (found.length === 0) return unreadable() ?? fail('notFound', domain);
    return { status: 200 as const, body: { domains: found.map(presentDomain) } };
  };
  return {
    getDomains: () => select(() => true),
    getDomainsOf: ({ params }) =>
      isListName(params.list) ? select(inList(params.list)) : selectNamed(params.list, () => true),
    getDomainList: ({ params }) => {
      const [isOuter, isInner] = [inList(params.type), inList(params.kind)];
      return isType(params.type) && isKind(params.kind)
        ? select((domain) => isOuter(domain) && isInner(domain))
        : selectNamed(params.kind, isOuter);
    },
    getDomain: ({ params }) => {
      const domain = storedAt(read.domains, storedKeys(params));
      if (domain === undefined) return unreadable() ?? fail('notFound', params.domain);
      return { status: 200, body: { domains: [presentDomain(domain)] }, headers: { etag: etagOf(domain) } };
    },
    createDomains: (request) => createDomains({ read, change }, request),
    putDomain: (request) => putDomain({ read, change }, request),
    patchDomain: (request) => patchDomain({ read, change }, request),
    deleteDomain: (request) => removeDomain({ read, change }, request),
    batchDeleteDomains: (request) => removeDomains({ read, change }, request),
  };
};

type Parts = Pick<Storage, 'read' | 'change'>;

const createDomains = async ({ read, change }: Parts, { params, body, caller }: Request<'createDomains'>) => {
  const texts = typeof body.domain === 'string' ? [body.domain] : body.domain;
  const tooMuch = regexSizeFailure(texts.map((domain) => ({ ...params, domain })));
  if (tooMuch !== undefined) return tooMuch;
  const keys = await checkedKeys(params, texts);
  if ('failure' in keys) return keys;
  const fields = { ...defaults, ...sentOf(defaults, body) };
  const insertion = (scope: ChangeScope) => ({
    items: keys.map(({ domain }) => domain),
    sent: texts,
    fields,
    insert: (domain: string) => insertOrRenew(scope, { ...params, domain }, fields),
    uniqueness,
    overCapacity: capacityFailure(read, 'domains', texts.length) ?? ruleCapacityFailure(read.domains, keys),
  });
  const outcome = await change(actorOf(caller), (scope) => insertEach(scope, insertion(scope)));
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : creationReply(outcome.value, fields.enabled, keys);
};

/** An expired entry is not a duplicate: adding it again replaces its fields. */
const insertOrRenew = async (
  scope: ChangeScope,
  key: DomainKey,
  fields: DomainFields,
): Promise<StoredDomain | undefined> => {
  const made = await insertDomain(scope, key, fields);
  if (made !== undefined) return made;
  const before = await findDomain(scope, key);
  const endMs = (before?.expires_at ?? Number.POSITIVE_INFINITY) * 1000;
  return before === undefined || endMs > scope.nowMs ? undefined : updateDomain(scope, before, key, fields);
};

const removeDomain = (parts: Parts, request: Request<'deleteDomain'>) =>
  removeItem(itemOf(parts, request), request, deleteDomain);

const itemOf = ({ change }: Parts, { params }: Pick<Request<'deleteDomain'>, 'params'>) => ({
  change,
  find: async (scope: ChangeScope) =>
    (await findStored(scope, storedKeys(params))) ?? fail('notFound', params.domain),
});

const removeDomains = async ({ change }: Parts, { body, caller }: Request<'batchDeleteDomains'>) =>
  removedReply(
    await change(actorOf(caller), (scope) =>
      removeEach(scope, {
        items: body,
        find: (item) => findStored(scope, storedKeys(keyNamed(item))),
        remove: deleteDomain,
      }),
    ),
  );

/** The contract allows no other values of type and kind. */
const keyNamed = ({ item, type, kind }: Request<'batchDeleteDomains'>['body'][number]): DomainKey => ({
  domain: item,
  type: type.toLowerCase() === 'allow' ? 'allow' : 'deny',
  kind: kind.toLowerCase() === 'exact' ? 'exact' : 'regex',
});

const putDomain = async (
  { read, change }: Parts,
  { params, body, caller, ifMatch }: Request<'putDomain'>,
) => {
  const half = halfKeyFailure(params.domain, body);
  if (half !== undefined) return half;
  const from = { type: body.type ?? params.type, kind: body.kind ?? params.kind };
  const keys = await checkedKeys(params, [params.domain]);
  if ('failure' in keys) return keys;
  const [key = { ...params, warning: undefined }] = keys;
  const outcome = await change(actorOf(caller), async (scope) => {
    // The second lookup finds an entry that the same request has already moved.
    const before =
      (await findStored(scope, storedKeys({ ...params, ...from }))) ?? (await findDomain(scope, key));
    if (!mayChange(ifMatch, before)) return fail('preconditionFailed');
    const overCapacity =
      capacityFailure(read, 'domains', before === undefined ? 1 : 0) ??
      ruleCapacityFailure(read.domains, keys, new Set(before === undefined ? [] : [before.id]));
    if (overCapacity !== undefined) return overCapacity;
    const fields = replacedFields(defaults, before, body);
    return 'failure' in fields ? fields : write(scope, before, key, fields, params.domain);
  });
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : storedReply(outcome.value, keys);
};

/** The old key needs both type and kind, or neither. */
const halfKeyFailure = (
  item: string,
  { type, kind }: Request<'putDomain'>['body'],
): Failure<'halfPlace'> | undefined => {
  if ((type === undefined) === (kind === undefined)) return undefined;
  const error = `${type === undefined ? 'type' : 'kind'}: is missing; type and kind go together`;
  return fail('halfPlace', error, { beside: { processed: { success: [], errors: [{ item, error }] } } });
};

const patchDomain = async (parts: Parts, request: Request<'patchDomain'>) => {
  const { body } = request;
  const stored = await changeItem(itemOf(parts, request), request, async (scope, before) => {
    const patched = patchedFields(defaults, checkFields, before, body);
    if ('failure' in patched) return patched;
    const outsideGroup = expiryOutsideGroupsAfter(before, patched);
    return outsideGroup === undefined
      ? write(scope, before, before, patched, before.domain)
      : unknownGroup(outsideGroup);
  });
  if ('failure' in stored) return stored;
  return { ...storedReply(stored), ignored: unknownNames(body, Object.keys(defaults)) };
};

const checkFields = createCheck(endpoints.putDomain.body);

/** Inserts an entry, or updates the existing one. */
const write = async (
  scope: ChangeScope,
  before: StoredDomain | undefined,
  key: DomainKey,
  fields: DomainFields,
  sent: string,
): Promise<StoredDomain | Failure<'unknownGroup' | 'duplicate'>> => {
  const missing = await missingGroup(scope, fields.groups);
  if (missing !== undefined) return unknownGroup(missing);
  const stored =
    before === undefined
      ? await insertDomain(scope, key, fields)
      : await updateDomain(scope, before, key, fields);
  return stored ?? duplicate(sent, fields.enabled, uniqueness);
};

const creationReply = (
  { made, processed, duplicate: sent }: Inserted<StoredDomain>,
  enabled: boolean,
  keys: readonly CheckedKey[],
) => {
  const last = made.at(-1);
  if (last === undefined) return duplicate(sent, enabled, uniqueness, processed);
  const body = { domains: made.map(presentDomain), processed: { ...processed, ...warningsOf(keys) } };
  return { status: 201 as const, body, headers: headersOf(last) };
};

const storedReply = (stored: StoredDomain, keys: readonly CheckedKey[] = []) => ({
  status: 200 as const,
  body: {
    domains: [presentDomain(stored)],
    processed: { ...processedOf(stored.domain), ...warningsOf(keys) },
  },
  headers: headersOf(stored),
});

/** HTTP clients limit headers, Node's `fetch` to 16 KiB; a long expression percent-encoded exceeds that. */
const maxLocationLength = 8_000;

const headersOf = (stored: StoredDomain) => {
  const path = [stored.type, stored.kind, stored.domain].map(encodeURIComponent).join('/');
  const location = `/api/domains/${path}`;
  return { ...(location.length <= maxLocationLength && { location }), etag: etagOf(stored) };
};

/** Left out when there are no warnings, as existing clients expect. */
const warningsOf = (keys: readonly CheckedKey[]) => {
  const warnings = keys.flatMap(({ domain, warning }) =>
    warning === undefined ? [] : [{ item: domain, warning }],
  );
  return warnings.length === 0 ? {} : { warnings };
};

/** Existing clients compare this text. */
const uniqueness = 'UNIQUE constraint failed: domainlist.domain, domainlist.type';
