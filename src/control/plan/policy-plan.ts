// What the policy of the dns workers is made of, as plain data: the user's own rules that are in force now,
// each with the groups it holds for. Texts, because they are small and because a worker has to make its own
// automata of them anyway.

import type { Group, StoredClient, StoredDomain, StoredList, StoredPause } from '#store/database/entities';
import { withoutSecrets } from '#lists';
import { readClient, type ClientText } from '../clients/client-text.ts';
import { pausedGroups, pausesInForce } from '../blocking/pauses-in-force.ts';
import { scheduleStateOf } from '../blocking/group-schedules.ts';

export interface PlannedRule {
  readonly id: number;
  readonly domain: string;
  readonly kind: 'exact' | 'regex';
  readonly action: 'allow' | 'block';
  readonly groups: readonly number[];
}

/** A subscribed list that is in force, for these groups. */
interface PlannedList {
  readonly id: number;
  /** What clients are told that it blocks. */
  readonly name: string;
  readonly groups: readonly number[];
}

/** A configured client, by the one thing that it is known by. */
export interface PlannedClient {
  /** Eight times 16 bits, IPv4 as ::ffff:a.b.c.d. */
  readonly words?: readonly number[];
  readonly prefixBits?: number;
  readonly mac?: string;
  readonly hostName?: string;
  readonly interface?: string;
  /** What rules may call it: how it was written, and the comment. */
  readonly labels: readonly string[];
  readonly groups: readonly number[];
  /** What `$ctag` may call it: the names of its groups. */
  readonly tags?: readonly string[];
  /** Blocking is paused for one of its groups. */
  readonly isPaused?: true;
  /** What its groups want to be hidden in the history, 1 to 3. */
  readonly privacy?: number;
}

export interface PolicyPlan {
  readonly isBlocking: boolean;
  readonly rules: readonly PlannedRule[];
  readonly lists: readonly PlannedList[];
  readonly clients: readonly PlannedClient[];
  /** For whom blocking is paused, configured or not: whoever one of these names. */
  readonly paused: readonly PlannedClient[];
  /** The groups of clients that are not configured. */
  readonly defaultGroups: readonly number[];
  /** Blocking is paused for the default group. */
  readonly isDefaultPaused: boolean;
  /** What is to be hidden in the history of clients that are not configured, 1 to 3. */
  readonly defaultPrivacy?: number;
}

export interface PolicyInput {
  readonly domains: readonly StoredDomain[];
  readonly groups: readonly Group[];
  readonly lists: readonly StoredList[];
  readonly clients: readonly StoredClient[];
  readonly pauses: readonly StoredPause[];
  readonly isBlocking: boolean;
  readonly nowSeconds: number;
}

const defaultGroup = 0;

export const noPolicy: PolicyPlan = {
  isBlocking: true,
  rules: [],
  lists: [],
  clients: [],
  paused: [],
  defaultGroups: [defaultGroup],
  isDefaultPaused: false,
};

/** All but the rules, of which there may be a hundred thousand: they go beside it, in texts of their own. */
export type SmallPlan = Omit<PolicyPlan, 'rules'>;

/** In one text of `ruleTexts`: a fraction of a millisecond to read. */
export const rulesPerText = 50;

export function writePolicyPlan({ rules, ...plan }: PolicyPlan): WrittenPolicy {
  return { policy: JSON.stringify(plan satisfies SmallPlan), rules: ruleTexts(rules) };
}

export interface WrittenPolicy {
  /** A SmallPlan as JSON. */
  readonly policy: string;
  readonly rules: readonly string[];
}

/** What was written from a plan. */
// Only `writePolicyPlan` writes such texts, from this very type.
export const readPolicyPlan = (text: string): SmallPlan => JSON.parse(text) as SmallPlan;

/** A worker reads them one after the other, and answers queries in between. */
export function ruleTexts(rules: readonly PlannedRule[]): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < rules.length; at += rulesPerText)
    texts.push(JSON.stringify(rules.slice(at, at + rulesPerText)));
  return texts;
}

export const areSameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, at) => text === b[at]);

// Only `ruleTexts` writes such texts, from this very type.
export const readRules = (text: string): readonly PlannedRule[] => JSON.parse(text) as PlannedRule[];

export function makePolicyPlan(input: PolicyInput): PolicyPlan {
  const { domains, groups, isBlocking, nowSeconds } = input;
  const enabled = new Set(groups.filter((group) => isGroupInForce(group, nowSeconds)).map(({ id }) => id));
  const rules = domains
    .filter((domain) => domain.enabled && !isOver(domain.expires_at, nowSeconds))
    .map((domain) => planned(domain, enabled, nowSeconds))
    .filter((rule) => rule.groups.length > 0);
  const lists = input.lists
    .filter((list) => list.enabled)
    .map((list) => plannedList(list, enabled, nowSeconds))
    .filter((list) => list.groups.length > 0);
  const pauses = pausesInForce(input.pauses, nowSeconds);
  const resting = pausedGroups(pauses);
  const tags = new Map(
    groups.filter(({ id }) => id !== defaultGroup).map(({ id, name }) => [id, tagOf(name)]),
  );
  const levels = new Map(groups.map(({ id, privacy }) => [id, privacy]));
  const clients = input.clients.flatMap((client) =>
    plannedClient(client, enabled, nowSeconds)
      .map((row) => withTags(withPause(row, client, resting, nowSeconds), tags))
      .map((row) => ({ ...row, ...privacyOf(client, levels, nowSeconds) })),
  );
  const defaultGroups = enabled.has(defaultGroup) ? [defaultGroup] : [];
  const paused = pauses.flatMap(({ client }) => (client === null ? [] : plannedPause(client)));
  const isDefaultPaused = resting.has(defaultGroup);
  const defaultPrivacy = levels.get(defaultGroup) ?? 0;
  const plan = { isBlocking, rules, lists, clients, paused, defaultGroups, isDefaultPaused };
  return defaultPrivacy === 0 ? plan : { ...plan, defaultPrivacy };
}

/** As with pauses: what is private stays so while the group is disabled or outside its schedules. */
const privacyOf = (
  { groups, group_expiry }: StoredClient,
  levels: ReadonlyMap<number, number>,
  nowSeconds: number,
): Pick<PlannedClient, 'privacy'> => {
  const own = groups.filter((group) => !isOver(group_expiry[String(group)], nowSeconds));
  const privacy = Math.max(0, ...own.map((group) => levels.get(group) ?? 0));
  return privacy === 0 ? {} : { privacy };
};

/** Outside the windows of its schedules a group is as if it were disabled. */
const isGroupInForce = (group: Group, nowSeconds: number): boolean =>
  group.enabled && scheduleStateOf(group, nowSeconds).isActive;

/** In a group that is paused one is also while that group is disabled or outside its schedules. */
const withPause = (
  row: PlannedClient,
  { groups, group_expiry }: StoredClient,
  resting: ReadonlySet<number>,
  nowSeconds: number,
): PlannedClient =>
  groupsInForce(groups, group_expiry, resting, nowSeconds).length > 0 ? { ...row, isPaused: true } : row;

/** Tags have no blanks: the group "Kids TV" is the tag kids_tv. */
const tagOf = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/gu, '_');

const withTags = (row: PlannedClient, tags: ReadonlyMap<number, string>): PlannedClient => {
  const own = row.groups.flatMap((id) => tags.get(id) ?? []);
  return own.length === 0 ? row : { ...row, tags: own };
};

/** Its groups do not count: they are those of whatever client it is besides. */
const plannedPause = (client: string): readonly PlannedClient[] => {
  const read = readClient(client);
  return read === undefined ? [] : [{ ...knownBy(read), labels: [], groups: [] }];
};

/** What ends by itself, wholly or for a group. */
interface Ending {
  readonly expires_at?: number | null;
  readonly group_expiry: Readonly<Record<string, number>>;
}

/** When something ends by itself next, in Unix seconds; Infinity when nothing does. */
export function nextEndSeconds(entries: readonly Ending[], nowSeconds: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { expires_at = null, group_expiry } of entries)
    for (const end of [expires_at, ...Object.values(group_expiry)])
      if (end !== null && end > nowSeconds && end < next) next = end;
  return next;
}

const isOver = (end: number | null | undefined, nowSeconds: number): boolean =>
  typeof end === 'number' && end <= nowSeconds;

const plannedList = (
  { id, address, comment, groups, group_expiry }: StoredList,
  enabled: ReadonlySet<number>,
  nowSeconds: number,
): PlannedList => ({
  id,
  // Answers to blocked queries have it: secrets in addresses are for nobody.
  name: comment ?? withoutSecrets(address),
  groups: groupsInForce(groups, group_expiry, enabled, nowSeconds),
});

/** Kept for as long as the client is as it is: thousands of them are planned at every change of anything. */
const readings = new WeakMap<StoredClient, ClientText>();

const readingOf = (client: StoredClient): ClientText | undefined => {
  const read = readings.get(client) ?? readClient(client.client);
  if (read !== undefined) readings.set(client, read);
  return read;
};

const plannedClient = (
  stored: StoredClient,
  enabled: ReadonlySet<number>,
  nowSeconds: number,
): readonly PlannedClient[] => {
  const read = readingOf(stored);
  if (read === undefined) return [];
  const { client, comment, groups, group_expiry } = stored;
  const labels = comment === null ? [client] : [client, comment];
  return [{ ...knownBy(read), labels, groups: groupsInForce(groups, group_expiry, enabled, nowSeconds) }];
};

const knownBy = (read: ClientText): Partial<PlannedClient> => {
  if ('words' in read) return { words: read.words, prefixBits: read.prefixBits };
  if (read.kind === 'mac') return { mac: read.text };
  return read.kind === 'host' ? { hostName: read.text } : { interface: read.text.slice(1) };
};

const groupsInForce = (
  groups: readonly number[],
  expiry: Readonly<Record<string, number>>,
  enabled: ReadonlySet<number>,
  nowSeconds: number,
): readonly number[] =>
  groups.filter((group) => enabled.has(group) && !isOver(expiry[String(group)], nowSeconds));

const planned = (domain: StoredDomain, enabled: ReadonlySet<number>, nowSeconds: number): PlannedRule => ({
  id: domain.id,
  domain: domain.domain,
  kind: domain.kind,
  action: domain.type === 'allow' ? 'allow' : 'block',
  groups: groupsInForce(domain.groups, domain.group_expiry, enabled, nowSeconds),
});
