// The rules as they are and as they would be, as plans that policies are made of: the entities are changed in
// memory and go the same way as those in the database. What holds for a while only is left out of both:
// blocking counts as on, pauses as over, and the windows of schedules as open, for what a list breaks in the
// evening is to be known in the morning too.

import { makePolicyPlan, type PolicyInput, type PolicyPlan } from '../plan/policy-plan.ts';
import {
  domainKey,
  type DomainKey,
  listKey,
  type ListPlace,
  type StoredDomain,
  type StoredList,
} from '#store/database/entities';

export type PolicyEntities = Pick<PolicyInput, 'domains' | 'groups' | 'lists' | 'clients' | 'nowSeconds'>;

/** To be there, for these groups at least. */
export interface RuleToAdd extends DomainKey {
  readonly groups: readonly number[];
}

export interface ListToAdd extends ListPlace, Pick<StoredList, 'added_with'> {
  /** Left out: those that it has, or the default one. */
  readonly groups?: readonly number[] | undefined;
}

export interface PolicyChange {
  readonly addRules: readonly RuleToAdd[];
  readonly removeRules: readonly DomainKey[];
  readonly addLists: readonly ListToAdd[];
  readonly removeLists: readonly ListPlace[];
}

export interface ChangedPolicy {
  readonly before: PolicyPlan;
  readonly after: PolicyPlan;
  /** Those that were added, as they would be stored. */
  readonly added: readonly StoredList[];
}

const defaultGroups = [0];
/** Also beyond those of lists that were deleted just now: what was compiled of them may still be there. */
const deletedIds = 1_000_000;
/** Beyond the ids in use. */
const nextId = (items: readonly { readonly id: number }[]): number =>
  items.reduce((most, { id }) => Math.max(most, id), 0) + 1;

export function changedPolicy(entities: PolicyEntities, change: PolicyChange): ChangedPolicy {
  const { domains, lists } = entities;
  const added = withPlaces(change.addLists, lists, listKey, (place, id) => newList(place, id + deletedIds));
  const rules = withPlaces(change.addRules, domains, domainKey, newRule);
  return {
    before: steadyPlan(entities),
    after: steadyPlan({
      ...entities,
      domains: replaced(domains, change.removeRules, rules, domainKey),
      lists: replaced(lists, change.removeLists, added, listKey),
    }),
    added,
  };
}

/** Every list and rule that holds for anybody, for everybody. */
export function everybodysPlan(entities: PolicyEntities): PolicyPlan {
  const groups = entities.groups.filter(({ enabled }) => enabled).map(({ id }) => id);
  return { ...steadyPlan(entities), clients: [], defaultGroups: groups };
}

function steadyPlan(entities: PolicyEntities): PolicyPlan {
  const groups = entities.groups.map((group) => ({ ...group, schedules: [] }));
  return makePolicyPlan({ ...entities, groups, pauses: [], isBlocking: true });
}

interface Entity {
  readonly id: number;
  readonly enabled: boolean;
  readonly groups: readonly number[];
  readonly group_expiry: Readonly<Record<string, number>>;
}

/** What is there already is enabled, without an end, for its own groups and the new ones. */
function withPlaces<P extends { readonly groups?: readonly number[] | undefined }, T extends Entity>(
  places: readonly P[],
  stored: readonly T[],
  keyOf: (item: P | T) => string,
  make: (place: P, id: number) => T,
): T[] {
  const known = new Map(stored.map((item) => [keyOf(item), item]));
  const firstId = nextId(stored);
  const added = new Map<string, T>();
  for (const place of places) {
    const key = keyOf(place);
    // One that is named twice is one, for the groups of both.
    const before = added.get(key) ?? known.get(key);
    const groups = [...new Set([...(before?.groups ?? []), ...(place.groups ?? [])])];
    const item =
      before === undefined
        ? make(place, firstId + added.size)
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

const untold = { comment: null, enabled: true, date_added: 0, date_modified: 0, group_expiry: {} };

const newRule = ({ domain, type, kind, groups }: RuleToAdd, id: number): StoredDomain => ({
  ...untold,
  id,
  domain,
  type,
  kind,
  groups,
  expires_at: null,
});

const newList = (
  { address, type, added_with, groups = defaultGroups }: ListToAdd,
  id: number,
): StoredList => ({
  ...untold,
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
});
