// The policy of one worker, compiled from what the api thread says and from the lists that lie compiled in
// shared memory. Kept between changes, so that automata of patterns that stay are not made again.

import {
  ClientPrivacy,
  ClientTable,
  createOwnLayer,
  createPolicy,
  emptyPolicy,
  openSnapshot,
  parseUserRule,
  SnapshotBuilder,
  trustPatterns,
  type ClientRow,
  type CompiledPolicy,
  type OwnRule,
  type Policy,
  type Snapshot,
} from '#policy';
import type { PlannedClient, PlannedRule, PolicyPlan } from './policy-plan.ts';

/** About ten milliseconds on a slow machine. */
const rulesPerTurn = 500;

export class WorkerPolicy {
  readonly #notice: (text: string) => void;
  #lists = emptySnapshot();
  #buffer: SharedArrayBuffer | undefined;
  #previous: CompiledPolicy | undefined;
  #version = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  /** Of the compiled lists. */
  get listNames(): number {
    return this.#lists.names;
  }

  /**
   * One after the other: what was said last holds in the end. `moreLists` are tried out beside the compiled
   * ones, under the same key.
   */
  compile(
    plan: PolicyPlan,
    snapshot: SharedArrayBuffer | undefined,
    isTrusted = false,
    moreLists?: readonly Snapshot[],
  ): Promise<Policy> {
    const turn = this.#turn.then(() => this.#compile(plan, snapshot, isTrusted, moreLists));
    this.#turn = turn;
    return turn;
  }

  async #compile(
    plan: PolicyPlan,
    snapshot: SharedArrayBuffer | undefined,
    isTrusted: boolean,
    moreLists: readonly Snapshot[] | undefined,
  ): Promise<Policy> {
    // It comes once, also while no list is in force.
    this.#open(snapshot, isTrusted);
    const { rules, lists, clients, isBlocking, defaultGroups } = plan;
    if (rules.length === 0 && lists.length === 0) return emptyPolicy;
    const own = createOwnLayer(await this.#parseAll(rules), this.#lists.key);
    const left = own.snapshot.meta.sources.filter(({ refused }) => refused > 0).length;
    if (left > 0)
      this.#notice(
        `There is no room for ${left} own rules, and they are not in force. Delete regular expressions, or ` +
          'rules with extensions such as ;reply=.',
      );
    this.#previous = await createPolicy({
      version: ++this.#version,
      lists: this.#lists,
      listsInForce: lists,
      ...(moreLists !== undefined && { moreLists }),
      own,
      clients: clients.map(rowOf),
      paused: plan.paused.map(rowOf),
      defaultGroups,
      isBlocking,
      isDefaultBlocking: !plan.isDefaultPaused,
      previous: this.#previous,
    });
    return this.#previous;
  }

  /** A snapshot that is not whole is not used: nothing is blocked by lists until there is a new one. */
  #open(buffer: SharedArrayBuffer | undefined, isTrusted: boolean): void {
    if (buffer === undefined || buffer === this.#buffer) return;
    this.#buffer = buffer;
    const opened = openSnapshot(buffer, isTrusted);
    this.#previous = undefined;
    this.#lists = typeof opened === 'string' ? emptySnapshot() : opened;
    if (typeof opened === 'string')
      this.#notice(
        `The compiled lists cannot be used (${opened}); they block nothing until they are compiled anew.`,
      );
  }

  /** Queries are answered meanwhile by the policy before: many rules take longer than one may wait. */
  async #parseAll(rules: readonly PlannedRule[]): Promise<readonly OwnRule[]> {
    const parsed: OwnRule[] = [];
    for (const [index, rule] of rules.entries()) {
      if (index % rulesPerTurn === rulesPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
      parsed.push(...this.#parse(rule));
    }
    return parsed;
  }

  #parse({ id, groups, domain, kind, action }: PlannedRule): readonly OwnRule[] {
    // Patterns were checked when they were stored; one that does not compile matches nothing.
    const parsed = parseUserRule({ domain, kind, action }, trustPatterns);
    if (parsed.isRule) return [{ id, groups, rule: parsed.rule }];
    this.#notice(`The rule ${domain} is not in force: ${parsed.hint}. Change or delete it.`);
    return [];
  }
}

/** What may be remembered of whom; nothing when there is nobody who wants anything hidden. */
export const privacyOf = ({ clients, defaultPrivacy = 0 }: PolicyPlan): ClientPrivacy | undefined =>
  defaultPrivacy === 0 && clients.every(({ privacy = 0 }) => privacy === 0)
    ? undefined
    : new ClientPrivacy(clients.map(rowOf), defaultPrivacy);

/** To find out which of these clients somebody is. */
export const clientTableOf = (clients: readonly PlannedClient[]): ClientTable =>
  new ClientTable(clients.map(rowOf));

/** One that is known by a host name may also call itself so. */
const rowOf = ({ words, prefixBits = 0, groups, labels, ...by }: PlannedClient): ClientRow => ({
  address: words && bytesOf(words),
  prefixBits,
  mac: by.mac,
  hostName: by.hostName,
  interface: by.interface,
  groups,
  labels,
  names: by.hostName === undefined ? [] : [by.hostName],
  tags: by.tags ?? [],
  isBlocking: by.isPaused !== true,
  privacy: by.privacy,
});

/** Without a value for each byte on the way: there may be thousands of clients. */
function bytesOf(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(words.length * 2);
  for (let at = 0; at < words.length; at++) {
    bytes[at * 2] = (words[at] ?? 0) >> 8;
    bytes[at * 2 + 1] = (words[at] ?? 0) & 0xff;
  }
  return bytes;
}

function emptySnapshot(): Snapshot {
  const empty = new SnapshotBuilder({ expectedNames: 0 }).finishHere();
  if (empty === undefined) throw new Error('an empty snapshot needs next to no memory');
  return empty;
}
