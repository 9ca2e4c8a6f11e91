// The input of the dns workers' policy as plain data: the user's own rules that are in force now with their
// groups, the lists, and the clients. Rules stay text, because text is small and each worker has to compile
// its own automata anyway.

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
  /** Shown to clients in answers to blocked queries. */
  readonly name: string;
  readonly groups: readonly number[];
}

/** A configured client, identified by exactly one of address range, MAC address, host name or interface. */
export interface PlannedClient {
  /** Of the configured client; a pause has none. */
  readonly id?: number;
  /** Eight words of 16 bits; IPv4 as ::ffff:a.b.c.d. */
  readonly words?: readonly number[];
  readonly prefixBits?: number;
  readonly mac?: string;
  readonly hostName?: string;
  readonly interface?: string;
  /** What rules may call it: its text and its comment. */
  readonly labels: readonly string[];
  readonly groups: readonly number[];
  /** For `$ctag`: the names of its groups. */
  readonly tags?: readonly string[];
  /** Blocking is paused for one of its groups. */
  readonly isPaused?: true;
  /** The privacy level of its groups for the history, 1 to 3. */
  readonly privacy?: number;
}

export interface PolicyPlan {
  readonly isBlocking: boolean;
  readonly rules: readonly PlannedRule[];
  readonly lists: readonly PlannedList[];
  readonly clients: readonly PlannedClient[];
  /** Clients, configured or not, for which blocking is paused. */
  readonly paused: readonly PlannedClient[];
  /** The groups of clients that are not configured. */
  readonly defaultGroups: readonly number[];
  /** Blocking is paused for the default group. */
  readonly isDefaultPaused: boolean;
  /** The privacy level of clients that are not configured, 1 to 3. */
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

/** Everything but the rules. There may be a hundred thousand rules, so they are sent as separate texts. */
export type SmallPlan = Omit<PolicyPlan, 'rules'>;

/** Rules in one text of `ruleTexts`; parsing one takes a fraction of a millisecond. */
export const rulesPerText = 50;

export function writePolicyPlan({ rules, ...plan }: PolicyPlan): WrittenPolicy {
  return { policy: JSON.stringify(plan satisfies SmallPlan), rules: ruleTexts(rules) };
}

export interface WrittenPolicy {
  /** A SmallPlan as JSON. */
  readonly policy: string;
  readonly rules: readonly string[];
}

/** Reverses `writePolicyPlan`, without the rules. */
export function readPolicyPlan(text: string): SmallPlan {
  // Only `writePolicyPlan` writes such texts, from a SmallPlan.
  return JSON.parse(text) as SmallPlan;
}

/** Several texts, so that a worker can answer queries between parsing them. */
export function ruleTexts(rules: readonly PlannedRule[]): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < rules.length; at += rulesPerText)
    texts.push(JSON.stringify(rules.slice(at, at + rulesPerText)));
  return texts;
}

export function areSameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

export function readRules(text: string): readonly PlannedRule[] {
  // Only `ruleTexts` writes such texts, from PlannedRules.
  return JSON.parse(text) as PlannedRule[];
}

export function buildPolicyPlan(input: PolicyInput): PolicyPlan {
  const { domains, groups, isBlocking, nowSeconds } = input;
  const enabled = new Set(groups.filter((group) => isGroupInForce(group, nowSeconds)).map(({ id }) => id));
  const rules = domains
    .filter((domain) => domain.enabled && !isOver(domain.expires_at, nowSeconds))
    .map((domain) => plannedRule(domain, enabled, nowSeconds))
    .filter((rule) => rule.groups.length > 0);
  const lists = input.lists
    .filter((list) => list.enabled)
    .map((list) => plannedList(list, enabled, nowSeconds))
    .filter((list) => list.groups.length > 0);
  const pauses = pausesInForce(input.pauses, nowSeconds);
  const paused = pausedGroups(pauses);
  const tags = new Map(
    groups.filter(({ id }) => id !== defaultGroup).map(({ id, name }) => [id, tagOf(name)]),
  );
  const levels = new Map(groups.map(({ id, privacy }) => [id, privacy]));
  const clients = input.clients.flatMap((client) =>
    plannedClient(client, enabled, nowSeconds)
      .map((row) => withTags(withPause(row, client, paused, nowSeconds), tags))
      .map((row) => ({ ...row, ...privacyOf(client, levels, nowSeconds) })),
  );
  const defaultGroups = enabled.has(defaultGroup) ? [defaultGroup] : [];
  const pausedClients = pauses.flatMap(({ client }) => (client === null ? [] : plannedPause(client)));
  const isDefaultPaused = paused.has(defaultGroup);
  const defaultPrivacy = levels.get(defaultGroup) ?? 0;
  const plan = { isBlocking, rules, lists, clients, paused: pausedClients, defaultGroups, isDefaultPaused };
  return defaultPrivacy === 0 ? plan : { ...plan, defaultPrivacy };
}

/** As with pauses, the privacy of a group applies also while it is disabled or outside its schedules. */
function privacyOf(
  { groups, group_expiry }: StoredClient,
  levels: ReadonlyMap<number, number>,
  nowSeconds: number,
): Pick<PlannedClient, 'privacy'> {
  const own = groups.filter((group) => !isOver(group_expiry[String(group)], nowSeconds));
  const privacy = Math.max(0, ...own.map((group) => levels.get(group) ?? 0));
  return privacy === 0 ? {} : { privacy };
}

/** Outside the windows of its schedules, a group counts as disabled. */
function isGroupInForce(group: Group, nowSeconds: number): boolean {
  return group.enabled && scheduleStateOf(group, nowSeconds).isActive;
}

/** The pause of a group applies also while the group is disabled or outside its schedules. */
function withPause(
  row: PlannedClient,
  { groups, group_expiry }: StoredClient,
  paused: ReadonlySet<number>,
  nowSeconds: number,
): PlannedClient {
  const isPaused = groupsInForce(groups, group_expiry, paused, nowSeconds).length > 0;
  return isPaused ? { ...row, isPaused: true } : row;
}

/** Tags contain no blanks: the group "Kids TV" has the tag kids_tv. */
function tagOf(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/gu, '_');
}

function withTags(row: PlannedClient, tags: ReadonlyMap<number, string>): PlannedClient {
  const own = row.groups.flatMap((id) => tags.get(id) ?? []);
  return own.length === 0 ? row : { ...row, tags: own };
}

/** Without groups: a paused client keeps the groups that it has as a configured client. */
function plannedPause(client: string): readonly PlannedClient[] {
  const read = readClient(client);
  return read === undefined ? [] : [{ ...traitOf(read), labels: [], groups: [] }];
}

/** An entity that may expire, or whose membership in a group may. */
interface Expiring {
  readonly expires_at?: number | null;
  readonly group_expiry: Readonly<Record<string, number>>;
}

/** The next expiry in Unix seconds; Infinity when nothing expires. */
export function nextEndSeconds(entries: readonly Expiring[], nowSeconds: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { expires_at = null, group_expiry } of entries)
    for (const end of [expires_at, ...Object.values(group_expiry)])
      if (end !== null && end > nowSeconds && end < next) next = end;
  return next;
}

function isOver(end: number | null | undefined, nowSeconds: number): boolean {
  return typeof end === 'number' && end <= nowSeconds;
}

function plannedList(
  { id, address, comment, groups, group_expiry }: StoredList,
  enabled: ReadonlySet<number>,
  nowSeconds: number,
): PlannedList {
  return {
    id,
    // Clients see this name in answers, so it must not contain secrets of the address.
    name: comment ?? withoutSecrets(address),
    groups: groupsInForce(groups, group_expiry, enabled, nowSeconds),
  };
}

/** Parsed texts per stored client, because every change of anything plans thousands of clients again. */
const parsedTexts = new WeakMap<StoredClient, ClientText>();

function parsedTextOf(client: StoredClient): ClientText | undefined {
  const read = parsedTexts.get(client) ?? readClient(client.client);
  if (read !== undefined) parsedTexts.set(client, read);
  return read;
}

function plannedClient(
  stored: StoredClient,
  enabled: ReadonlySet<number>,
  nowSeconds: number,
): readonly PlannedClient[] {
  const read = parsedTextOf(stored);
  if (read === undefined) return [];
  const { id, client, comment, groups, group_expiry } = stored;
  const labels = comment === null ? [client] : [client, comment];
  const inForce = groupsInForce(groups, group_expiry, enabled, nowSeconds);
  return [{ id, ...traitOf(read), labels, groups: inForce }];
}

function traitOf(read: ClientText): Partial<PlannedClient> {
  if ('words' in read) return { words: read.words, prefixBits: read.prefixBits };
  if (read.kind === 'mac') return { mac: read.text };
  return read.kind === 'host' ? { hostName: read.text } : { interface: read.text.slice(1) };
}

function groupsInForce(
  groups: readonly number[],
  expiry: Readonly<Record<string, number>>,
  enabled: ReadonlySet<number>,
  nowSeconds: number,
): readonly number[] {
  return groups.filter((group) => enabled.has(group) && !isOver(expiry[String(group)], nowSeconds));
}

function plannedRule(domain: StoredDomain, enabled: ReadonlySet<number>, nowSeconds: number): PlannedRule {
  return {
    id: domain.id,
    domain: domain.domain,
    kind: domain.kind,
    action: domain.type === 'allow' ? 'allow' : 'block',
    groups: groupsInForce(domain.groups, domain.group_expiry, enabled, nowSeconds),
  };
}
