// Handlers of domains. A request is brought into its stored form and checked as a whole before anything is
// written; duplicates are then reported per item. The parser of the policy decides what is a rule.

import { endpoints, entities, fail, type Failure, type ReplyBody } from '#contract';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import type { ChangeScope, Storage } from '#store/database';
import { type DomainFields, type DomainKey, domainTable, type StoredDomain } from '#store/database/entities';
import { shownDomain } from '#control/clients';
import { capacityFailure, ruleCapacityFailure } from './capacity.ts';
import {
  findStored,
  checkedKeys,
  storedAt,
  storedKeys,
  regexSizeFailure,
  type CheckedKey,
} from './domain-key.ts';
import { everyKey, inList, isKind, isListName, isType } from './domain-lists.ts';
import { entityReplies, type EntityKind } from './entity-replies.ts';
import { createdFields, groupsFailure, patchEntry, replacedFields } from './entries.ts';
import { existingItems } from './existing-items.ts';
import { newItems } from './new-items.ts';
import { groupsByDefault, withClientWarnings } from './rule-clients.ts';
import type { Warnings } from './processed.ts';

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

const defaults: DomainFields = entities.domains.fields;

const presentDomain = (stored: StoredDomain) => ({
  ...stored,
  unicode: stored.kind === 'exact' ? shownDomain(stored.domain) : stored.domain,
  groups: [...stored.groups],
});

const entity: EntityKind<DomainKey & DomainFields, StoredDomain, ReplyBody<'getDomain', 200>> = {
  ...entities.domains,
  table: domainTable,
  bodyOf: (domains) => ({ domains: domains.map(presentDomain) }),
};
const replies = entityReplies(entity);

export const createDomainHandlers = ({
  read,
  change,
}: Pick<Storage, 'read' | 'change'>): Pick<Handlers, Names> => {
  const unreadable = (): Failure<'domainsUnreadable'> | undefined =>
    read.domains.problem === undefined ? undefined : fail('domainsUnreadable', read.domains.problem);
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
      return replies.found(domain);
    },
    createDomains: (request) => createDomains({ read, change }, request),
    putDomain: (request) => putDomain({ read, change }, request),
    patchDomain: (request) => patchDomain({ read, change }, request),
    deleteDomain: (request) => existingItems(entity, change).remove(request, findNamed(request)),
    batchDeleteDomains: (request) =>
      existingItems(entity, change).removeAll(request, (scope, item) =>
        findStored(scope, storedKeys(keyNamed(item))),
      ),
  };
};

type Parts = Pick<Storage, 'read' | 'change'>;

const createDomains = async ({ read, change }: Parts, request: Request<'createDomains'>) => {
  const { params, body } = request;
  const texts = typeof body.domain === 'string' ? [body.domain] : body.domain;
  const tooMuch = regexSizeFailure(texts.map((domain) => ({ ...params, domain })));
  if (tooMuch !== undefined) return tooMuch;
  const checked = await checkedKeys(params, texts);
  if ('failure' in checked) return checked;
  const keys = withClientWarnings(read, checked);
  const fields = createdFields(defaults, body);
  /** To be called inside the change: another request may remove a group meanwhile. */
  const groupsOf = ({ domain }: DomainKey) => body.groups ?? groupsByDefault(read, domain);
  return newItems(entity, change).create(request, {
    items: keys.map(({ domain }) => ({ ...params, domain, ...fields })),
    sent: texts[0],
    insert: (scope, item) => insertOrRenew(scope, { ...item, groups: groupsOf(item) }),
    refused: async (scope) =>
      capacityFailure(read, 'domains', texts.length) ??
      ruleCapacityFailure(read.domains, keys) ??
      (await groupsFailure(scope, fields)),
    warnings: warningsOf(keys),
  });
};

/** An expired entry is not a duplicate: adding it again replaces its fields. */
const insertOrRenew = async (
  scope: ChangeScope,
  item: DomainKey & DomainFields,
): Promise<StoredDomain | undefined> => {
  const made = await domainTable.insert(scope, item);
  if (made !== undefined) return made;
  const before = await domainTable.find(scope, item);
  const endMs = (before?.expires_at ?? Number.POSITIVE_INFINITY) * 1000;
  return before === undefined || endMs > scope.nowMs ? undefined : domainTable.update(scope, before, item);
};

const findNamed =
  ({ params }: Pick<Request<'deleteDomain'>, 'params'>) =>
  async (scope: ChangeScope) =>
    (await findStored(scope, storedKeys(params))) ?? fail('notFound', params.domain);

/** The contract allows no other values of type and kind. */
const keyNamed = ({ item, type, kind }: Request<'batchDeleteDomains'>['body'][number]): DomainKey => ({
  domain: item,
  type: type.toLowerCase() === 'allow' ? 'allow' : 'deny',
  kind: kind.toLowerCase() === 'exact' ? 'exact' : 'regex',
});

const putDomain = async ({ read, change }: Parts, request: Request<'putDomain'>) => {
  const { params, body } = request;
  const half = halfKeyFailure(params.domain, body);
  if (half !== undefined) return half;
  const from = { type: body.type ?? params.type, kind: body.kind ?? params.kind };
  const checked = await checkedKeys(params, [params.domain]);
  if ('failure' in checked) return checked;
  const keys = withClientWarnings(read, checked);
  const [{ domain } = params] = keys;
  const key = { ...params, domain };
  return newItems(entity, change).put(request, {
    // The second lookup finds an entry that the same request has already moved.
    find: async (scope) =>
      (await findStored(scope, storedKeys({ ...params, ...from }))) ?? (await domainTable.find(scope, key)),
    wanted: async (scope, before) => {
      const overCapacity =
        capacityFailure(read, 'domains', before === undefined ? 1 : 0) ??
        ruleCapacityFailure(read.domains, keys, new Set(before === undefined ? [] : [before.id]));
      if (overCapacity !== undefined) return overCapacity;
      const usual = { ...defaults, groups: groupsByDefault(read, key.domain) };
      const fields = await replacedFields(scope, usual, before, body);
      return 'failure' in fields ? fields : { ...key, ...fields };
    },
    sent: params.domain,
    warnings: warningsOf(keys),
  });
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

const patchDomain = ({ change }: Parts, request: Request<'patchDomain'>) =>
  existingItems(entity, change).patch(request, {
    find: findNamed(request),
    ...patchEntry(domainTable, defaults, checkFields, request.body),
  });

const checkFields = createCheck(endpoints.putDomain.body);

const warningsOf = (keys: readonly CheckedKey[]): Warnings => {
  const warnings = keys.flatMap(({ domain, warning }) =>
    warning === undefined ? [] : [{ item: domain, warning }],
  );
  return warnings.length === 0 ? {} : { warnings };
};
