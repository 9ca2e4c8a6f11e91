// Builds the plans of the current and of the changed policy: the entities are changed in memory and planned
// like those in the database. Both plans ignore everything temporary (blocking is on, no pauses, schedules
// are active), so that the result does not depend on the time of day.

import { buildPolicyPlan, type PolicyInput, type PolicyPlan } from '../plan/policy-plan.ts';
import {
  type DomainKey,
  domainTable,
  type ListKey,
  listTable,
  type StoredDomain,
  type StoredList,
} from '#store/database/entities';

export type PolicyEntities = Pick<PolicyInput, 'domains' | 'groups' | 'lists' | 'clients' | 'nowSeconds'>;

/** A rule that shall exist, at least for these groups. */
export interface RuleToAdd extends DomainKey {
  readonly groups: readonly number[];
}

export interface ListToAdd extends ListKey, Pick<StoredList, 'added_with'> {
  /** Undefined: its current groups, or the default group. */
  readonly groups?: readonly number[] | undefined;
}

export interface PolicyChange {
  readonly addRules: readonly RuleToAdd[];
  readonly removeRules: readonly DomainKey[];
  readonly addLists: readonly ListToAdd[];
  readonly removeLists: readonly ListKey[];
}

export interface ChangedPolicy {
  readonly before: PolicyPlan;
  readonly after: PolicyPlan;
  /** The added lists, as they would be stored. */
  readonly added: readonly StoredList[];
}

const defaultGroups = [0];
/** Added to new list ids: the snapshot may still contain lists that were just deleted. */
const deletedIds = 1_000_000;

function nextId(items: readonly { readonly id: number }[]): number {
  return items.reduce((most, { id }) => Math.max(most, id), 0) + 1;
}

export function changedPolicy(entities: PolicyEntities, change: PolicyChange): ChangedPolicy {
  const { domains, lists } = entities;
  const added = addedItems(change.addLists, lists, listTable.keyOf, (list, id) =>
    newList(list, id + deletedIds),
  );
  const rules = addedItems(change.addRules, domains, domainTable.keyOf, newRule);
  return {
    before: timelessPlan(entities),
    after: timelessPlan({
      ...entities,
      domains: replaced(domains, change.removeRules, rules, domainTable.keyOf),
      lists: replaced(lists, change.removeLists, added, listTable.keyOf),
    }),
    added,
  };
}

/** Every list and rule that is in force for any client applies to all clients. */
export function planForAllClients(entities: PolicyEntities): PolicyPlan {
  const groups = entities.groups.filter(({ enabled }) => enabled).map(({ id }) => id);
  return { ...timelessPlan(entities), clients: [], defaultGroups: groups };
}

function timelessPlan(entities: PolicyEntities): PolicyPlan {
  const groups = entities.groups.map((group) => ({ ...group, schedules: [] }));
  return buildPolicyPlan({ ...entities, groups, pauses: [], isBlocking: true });
}

interface Entity {
  readonly id: number;
  readonly enabled: boolean;
  readonly groups: readonly number[];
  readonly group_expiry: Readonly<Record<string, number>>;
}

/** An existing item is enabled, without expiry, for its current groups and the new ones. */
function addedItems<P extends { readonly groups?: readonly number[] | undefined }, T extends Entity>(
  wanted: readonly P[],
  stored: readonly T[],
  keyOf: (item: P | T) => string,
  create: (item: P, id: number) => T,
): T[] {
  const known = new Map(stored.map((item) => [keyOf(item), item]));
  const firstId = nextId(stored);
  const added = new Map<string, T>();
  for (const one of wanted) {
    const key = keyOf(one);
    // Duplicates are merged: the item gets the groups of both.
    const before = added.get(key) ?? known.get(key);
    const groups = [...new Set([...(before?.groups ?? []), ...(one.groups ?? [])])];
    const item =
      before === undefined
        ? create(one, firstId + added.size)
        : { ...before, enabled: true, expires_at: null, groups, group_expiry: {} };
    added.set(key, item);
  }
  return [...added.values()];
}

function replaced<P, T>(
  stored: readonly T[],
  removed: readonly P[],
  added: readonly T[],
  keyOf: (item: P | T) => string,
): T[] {
  const gone = new Set([...removed, ...added].map(keyOf));
  return [...stored.filter((item) => !gone.has(keyOf(item))), ...added];
}

const defaults = { comment: null, enabled: true, date_added: 0, date_modified: 0, group_expiry: {} };

function newRule({ domain, type, kind, groups }: RuleToAdd, id: number): StoredDomain {
  return { ...defaults, id, domain, type, kind, groups, expires_at: null };
}

function newList({ address, type, added_with, groups = defaultGroups }: ListToAdd, id: number): StoredList {
  return {
    ...defaults,
    id,
    address,
    type,
    added_with,
    groups,
    held: false,
    date_updated: 0,
    number: 0,
    invalid_domains: 0,
    abp_entries: 0,
    status: 0,
  };
}
