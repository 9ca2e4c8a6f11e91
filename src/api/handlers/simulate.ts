// The handler of simulations: the changes in the request are checked like changes to be stored, and the
// changed policy is applied to stored queries. Nothing is stored.

import { fail, type Failure } from '#contract';
import {
  changedPolicy,
  type Difference,
  type ListToAdd,
  type PolicyChange,
  type PolicyEntities,
  type Refused,
  type RuleToAdd,
  type Simulated,
  type SimulationWanted,
} from '#control/simulate';
import type { Caller } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import type { ReadModel } from '#store/database';
import { type DomainKey, domainTable, listsIn, maskedAddress } from '#store/database/entities';
import { checkedKeys, storedAt, storedKeys, regexSizeFailure } from './domain-key.ts';
import { hasBlanks, unknownGroup } from './entries.ts';
import { addressFailure, rightsOf } from './list-address.ts';
import { onlyOne } from './named-list.ts';
import { hidesClients, hidesDomains, scopeOf, type HistoryParts } from './history-scope.ts';
import { ruleCapacityFailure } from './capacity.ts';
import { groupsByDefault } from './rule-clients.ts';

export interface SimulateParts extends HistoryParts {
  readonly read: ReadModel;
  /** Undefined when another simulation is running. */
  readonly simulate: (wanted: SimulationWanted) => Promise<Simulated | Refused | undefined>;
}

type SimulateRequest = Request<'simulate'>;
type Body = SimulateRequest['body'];
type Wrong = Failure<
  | 'noAddress'
  | 'invalidDomain'
  | 'invalidName'
  | 'blanks'
  | 'invalidAddress'
  | 'forbidden'
  | 'invalidRegex'
  | 'unknownGroup'
  | 'collectionFull'
  | 'notFound'
  | 'ambiguousList'
>;

const defaultTop = 10;

export function createSimulateHandlers(parts: SimulateParts): Pick<Handlers, 'simulate'> {
  return {
    simulate: (request) => simulate(parts, request),
  };
}

async function simulate(parts: SimulateParts, { body, caller, gone }: SimulateRequest) {
  const problem = problemOf(parts);
  if (problem !== undefined) return problem;
  const change = await changeOf(parts.read, body, caller);
  if ('failure' in change) return change;
  const entities = entitiesOf(parts.read, parts.nowMs());
  const { fromMs, untilMs } = scopeOf(parts, { from: body.from, until: body.until });
  const simulated = await parts.simulate({
    policy: changedPolicy(entities, change),
    subscribed: new Set(entities.lists.map(({ id }) => id)),
    fromMs,
    untilMs,
    top: body.count ?? defaultTop,
    signal: gone?.(),
  });
  if (simulated === undefined) return tooMany();
  if ('problem' in simulated)
    return fail(simulated.isHistory === true ? 'historyAway' : 'requestFailed', simulated.problem);
  return { status: 200 as const, body: presented(parts, simulated) };
}

function tooMany(): Failure<'tooManyRequests'> {
  return fail('tooManyRequests', 'Another simulation is running.', { headers: { 'retry-after': '2' } });
}

/** When domains are hidden, simulations must not reveal them one by one. */
function problemOf(parts: SimulateParts) {
  const { domains, lists, clients } = parts.read;
  if (domains.problem !== undefined) return fail('domainsUnreadable', domains.problem);
  const collection = lists.problem ?? clients.problem;
  if (collection !== undefined) return fail('collectionUnreadable', collection);
  return hidesDomains(parts)
    ? fail('requestFailed', 'misc.privacylevel hides the names of queries: there is nothing to simulate.')
    : undefined;
}

/** Also used where a policy is applied without a change. */
export function entitiesOf(read: ReadModel, nowMs: number): PolicyEntities {
  return {
    domains: read.domains.filter(() => true),
    groups: read.groups.filter(() => true),
    lists: read.lists.filter(() => true),
    clients: read.clients.filter(() => true),
    nowSeconds: Math.floor(nowMs / 1000),
  };
}

async function changeOf(
  read: ReadModel,
  { rules, lists }: Body,
  caller: Caller | undefined,
): Promise<PolicyChange | Wrong> {
  const addRules = await rulesToAdd(read, rules?.add ?? []);
  if ('failure' in addRules) return addRules;
  const overCapacity = ruleCapacityFailure(read.domains, addRules);
  if (overCapacity !== undefined) return overCapacity;
  const removeRules = rulesToRemove(read, rules?.remove ?? []);
  if ('failure' in removeRules) return removeRules;
  const changedLists = listChange(read, lists, caller);
  if ('failure' in changedLists) return changedLists;
  const groups = [...addRules, ...changedLists.addLists].flatMap((one) => one.groups ?? []);
  const missing = groups.find((group) => read.groups.filter(({ id }) => id === group).length === 0);
  return missing === undefined ? { addRules, removeRules, ...changedLists } : unknownGroup(missing);
}

function listChange(
  read: ReadModel,
  { add = [], remove = [] }: NonNullable<Body['lists']> = {},
  caller: Caller | undefined,
): Pick<PolicyChange, 'addLists' | 'removeLists'> | Wrong {
  const addLists = listsNamed(add, (one) => listToAdd(read, one, caller));
  if ('failure' in addLists) return addLists;
  const removeLists = listsNamed(remove, (one) => listToRemove(read, one));
  return 'failure' in removeLists ? removeLists : { addLists, removeLists };
}

type SentRule = NonNullable<NonNullable<Body['rules']>['add']>[number];

async function rulesToAdd(read: ReadModel, sent: readonly SentRule[]): Promise<readonly RuleToAdd[] | Wrong> {
  const tooMuch = regexSizeFailure(sent);
  if (tooMuch !== undefined) return tooMuch;
  const rules: RuleToAdd[] = [];
  for (const { domain, type, kind, groups } of sent) {
    const keys = await checkedKeys({ type, kind }, [domain]);
    if ('failure' in keys) return keys;
    for (const key of keys)
      rules.push({ domain: key.domain, type, kind, groups: groups ?? groupsByDefault(read, key.domain) });
  }
  return rules;
}

function rulesToRemove(read: ReadModel, sent: readonly DomainKey[]): readonly DomainKey[] | Wrong {
  const rules: DomainKey[] = [];
  for (const key of sent) {
    const stored = storedAt(read.domains, storedKeys(key));
    if (stored === undefined) return fail('notFound', `There is no rule ${domainTable.keyOf(key)}.`);
    rules.push(stored);
  }
  return rules;
}

type SentList = NonNullable<NonNullable<Body['lists']>['add']>[number];

function listsNamed(
  sent: readonly SentList[],
  find: (one: SentList) => NamedList | Wrong,
): readonly ListToAdd[] | Wrong {
  const lists: ListToAdd[] = [];
  for (const one of sent) {
    const named = find(one);
    if ('failure' in named) return named;
    lists.push({ ...named, groups: one.groups });
  }
  return lists;
}

type NamedList = Omit<ListToAdd, 'groups'>;

/** By id, or by address and type; a list that is not subscribed gets the rights of the caller. */
function listToAdd(read: ReadModel, one: SentList, caller: Caller | undefined): NamedList | Wrong {
  const { id, address, type = 'block' } = one;
  if (id !== undefined || address === undefined) return listById(read, id);
  const stored = onlyOne(listsIn(read.lists, { address, type }));
  if (stored !== undefined) return stored;
  return addressFailure(address, caller) ?? { address, type, added_with: rightsOf(caller) };
}

/** By id, or by address; without a type, of either type. */
function listToRemove(read: ReadModel, { id, address, type }: SentList): NamedList | Wrong {
  if (id !== undefined || address === undefined) return listById(read, id);
  if (hasBlanks(address)) return fail('blanks', maskedAddress(address));
  const stored = (type === undefined ? listTypes : [type])
    .map((either) => onlyOne(listsIn(read.lists, { address, type: either })))
    .find((list) => list !== undefined);
  return stored ?? fail('notFound', `There is no list ${maskedAddress(address)}.`);
}

function listById(read: ReadModel, id: number | undefined): NamedList | Wrong {
  if (id === undefined) return fail('noAddress', 'Name a list by its id or by its address.');
  const [list] = read.lists.filter((stored) => stored.id === id);
  return list ?? fail('notFound', `There is no list ${id}.`);
}

const listTypes = ['block', 'allow'] as const;

function presented(parts: HistoryParts, simulated: Simulated) {
  const { queries, hidden, blockedBefore, blockedAfter, blocked, freed, truncated } = simulated;
  return {
    queries,
    hidden,
    blocked_before: blockedBefore,
    blocked_after: blockedAfter,
    blocked: presentedDifference(parts, blocked),
    freed: presentedDifference(parts, freed),
    truncated,
  };
}

function presentedDifference(parts: HistoryParts, difference: Difference) {
  const { queries, domains, clients, topDomains, topClients } = difference;
  const shown = hidesClients(parts) ? [] : topClients;
  return {
    queries,
    domains,
    clients,
    top_domains: topDomains.map(({ domain, count, by }) => ({ domain, count, by })),
    top_clients: shown.map(({ name, ip, count }) => ({ name, ip, count })),
  };
}
