// What the policy of the dns workers is made of, as plain data: the user's own rules that are in force now,
// each with the groups it holds for. Texts, because they are small and because a worker has to make its own
// automata of them anyway.

import type { StoredDomain } from '../storage/domains.ts';
import type { Group } from '../storage/groups.ts';

export interface PlannedRule {
  readonly id: number;
  readonly domain: string;
  readonly kind: 'exact' | 'regex';
  readonly action: 'allow' | 'block';
  readonly groups: readonly number[];
}

/** A subscribed list that is in force, for these groups. */
export interface PlannedList {
  readonly id: number;
  /** What clients are told that it blocks. */
  readonly name: string;
  readonly groups: readonly number[];
}

export interface PolicyPlan {
  readonly isBlocking: boolean;
  readonly rules: readonly PlannedRule[];
  readonly lists: readonly PlannedList[];
  /** The groups of clients that are not configured. */
  readonly defaultGroups: readonly number[];
}

export interface PolicyInput {
  readonly domains: readonly StoredDomain[];
  readonly groups: readonly Group[];
  readonly isBlocking: boolean;
  readonly nowSeconds: number;
}

const defaultGroup = 0;

export const noPolicy: PolicyPlan = {
  isBlocking: true,
  rules: [],
  lists: [],
  defaultGroups: [defaultGroup],
};

export function makePolicyPlan({ domains, groups, isBlocking, nowSeconds }: PolicyInput): PolicyPlan {
  const enabled = new Set(groups.filter((group) => group.enabled).map(({ id }) => id));
  const rules = domains
    .filter((domain) => domain.enabled && !isOver(domain.expires_at, nowSeconds))
    .map((domain) => planned(domain, enabled, nowSeconds))
    .filter((rule) => rule.groups.length > 0);
  return { isBlocking, rules, lists: [], defaultGroups: enabled.has(defaultGroup) ? [defaultGroup] : [] };
}

/** When something ends by itself next, in Unix seconds; Infinity when nothing does. */
export function nextEndSeconds(domains: readonly StoredDomain[], nowSeconds: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { expires_at, group_expiry } of domains)
    for (const end of [expires_at, ...Object.values(group_expiry)])
      if (end !== null && end > nowSeconds && end < next) next = end;
  return next;
}

const isOver = (end: number | null | undefined, nowSeconds: number): boolean =>
  typeof end === 'number' && end <= nowSeconds;

const planned = (domain: StoredDomain, enabled: ReadonlySet<number>, nowSeconds: number): PlannedRule => ({
  id: domain.id,
  domain: domain.domain,
  kind: domain.kind,
  action: domain.type === 'allow' ? 'allow' : 'block',
  groups: domain.groups.filter(
    (group) => enabled.has(group) && !isOver(domain.group_expiry[String(group)], nowSeconds),
  ),
});
