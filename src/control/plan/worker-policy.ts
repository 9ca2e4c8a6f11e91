// Compiles the policy of one dns worker from its plan and from the snapshot in shared memory. The object
// lives as long as the worker, so that automata of unchanged patterns are reused.

import {
  ClientPrivacy,
  ClientTable,
  createPolicy,
  emptyPolicy,
  openSnapshot,
  OwnLayerBuilder,
  PatternBudget,
  parseUserRule,
  SnapshotBuilder,
  trustPatterns,
  type ClientRow,
  type CompiledPolicy,
  type CostlyRule,
  type OwnLayer,
  type Policy,
  type Snapshot,
} from '#policy';
import {
  areSameTexts,
  readRules,
  rulesPerText,
  type PlannedClient,
  type PlannedRule,
  type SmallPlan,
} from './policy-plan.ts';
import { SerialQueue } from '#platform/tasks';

/** After parsing rules for this long, the worker answers queries before it goes on. */
const sliceMs = 2;
const noClock = (): number => 0;

export class WorkerPolicy {
  readonly #notice: (text: string) => void;
  readonly #nowMs: () => number;
  readonly #readPrevious: () => SharedArrayBuffer | undefined;
  #lists = emptySnapshot();
  #buffer: SharedArrayBuffer | undefined;
  #previous: CompiledPolicy | undefined;
  #own: { readonly texts: readonly string[]; readonly key: Int32Array; readonly layer: OwnLayer } | undefined;
  #version = 0;
  readonly #budget = new PatternBudget();
  #reportedUnreadable = '';
  readonly #queue = new SerialQueue();

  /**
   * Without a clock it never yields, for threads that answer no queries. `readPrevious` loads the previous
   * snapshot when the newest is damaged.
   */
  constructor(
    notice: (text: string) => void,
    nowMs: () => number = noClock,
    readPrevious: () => SharedArrayBuffer | undefined = () => undefined,
  ) {
    this.#notice = notice;
    this.#nowMs = nowMs;
    this.#readPrevious = readPrevious;
  }

  /** Number of names in the snapshot. */
  get listNames(): number {
    return this.#lists.names;
  }

  /** The clients that own rules name, except for addresses, ranges and ids: these have to be identified. */
  get clientNames(): ReadonlySet<string> {
    return this.#own?.layer.clientNames ?? new Set();
  }

  /**
   * Calls are queued: the last one wins. `rules`: see `ruleTexts`. `moreLists` apply in addition to the
   * snapshot, for simulations; they have the same key.
   */
  compile(
    plan: SmallPlan,
    rules: readonly string[],
    snapshot: SharedArrayBuffer | undefined,
    isTrusted = false,
    moreLists?: readonly Snapshot[],
  ): Promise<Policy> {
    return this.#queue.run(() => this.#compile(plan, rules, snapshot, isTrusted, moreLists));
  }

  async #compile(
    plan: SmallPlan,
    rules: readonly string[],
    snapshot: SharedArrayBuffer | undefined,
    isTrusted: boolean,
    moreLists: readonly Snapshot[] | undefined,
  ): Promise<Policy> {
    // A snapshot is sent once, so it is opened even while no list is in force.
    this.#open(snapshot, isTrusted);
    const { lists, clients, isBlocking, defaultGroups } = plan;
    if (rules.length === 0 && lists.length === 0) {
      this.#own = undefined;
      return emptyPolicy;
    }
    const own = await this.#ownLayer(rules);
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
      budget: this.#budget,
    });
    this.#reportUnreadable(this.#previous.unreadablePatterns);
    return this.#previous;
  }

  /** Patterns stored by an earlier version, or compiled into the lists. Each set is reported once. */
  #reportUnreadable(texts: readonly string[]): void {
    const joined = texts.join('\n');
    if (joined !== this.#reportedUnreadable)
      for (const text of texts)
        this.#notice(
          `The regular expression ${text} is not in force: it is invalid, or its repetitions are too ` +
            'large. Change or delete it; update the lists if it is not yours.',
        );
    this.#reportedUnreadable = joined;
  }

  /** How many names exceeded the step budget for expressions, and the rules that took the most steps. */
  expressionFigures(most: number): { readonly unfinished: number; readonly costly: readonly CostlyRule[] } {
    return { unfinished: this.#budget.cuts, costly: this.#previous?.costlyRules(most) ?? [] };
  }

  #open(buffer: SharedArrayBuffer | undefined, isTrusted: boolean): void {
    if (buffer === undefined || buffer === this.#buffer) return;
    this.#buffer = buffer;
    const opened = openSnapshot(buffer, isTrusted);
    this.#lists = typeof opened === 'string' ? this.#openPrevious(opened) : opened;
  }

  /** Instead of a damaged snapshot the previous one is used; without one, lists block nothing. */
  #openPrevious(problem: string): Snapshot {
    const buffer = this.#readPrevious();
    const opened = buffer === undefined ? 'there is none' : openSnapshot(buffer);
    const isUsable = typeof opened !== 'string';
    const meanwhile = isUsable ? 'the previous ones block' : 'they block nothing';
    this.#notice(
      `The compiled lists cannot be used (${problem}); ${meanwhile} until they are compiled anew.`,
    );
    return isUsable ? opened : emptySnapshot();
  }

  /** Reused unless the rules, or the key that they are hashed with, have changed. */
  async #ownLayer(texts: readonly string[]): Promise<OwnLayer> {
    const { key } = this.#lists;
    if (this.#own?.key === key && areSameTexts(this.#own.texts, texts)) return this.#own.layer;
    const layer = await this.#parseAll(texts, key);
    this.#own = { texts, key, layer };
    if (layer.refused > 0)
      this.#notice(
        `There is no room for ${layer.refused} of your own rules, so they are not in force. Delete regular ` +
          'expressions, or rules with extensions such as ;reply=.',
      );
    return layer;
  }

  /**
   * Parsing many rules takes longer than a query may wait, so the previous policy answers queries in between.
   * Rules are not kept as objects, because every garbage collection would have to visit all of them.
   */
  async #parseAll(texts: readonly string[], key: Int32Array): Promise<OwnLayer> {
    const builder = new OwnLayerBuilder(texts.length * rulesPerText, key);
    let sinceMs = this.#nowMs();
    for (const text of texts) {
      for (const rule of readRules(text)) this.#parse(rule, builder);
      if (this.#nowMs() - sinceMs < sliceMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sinceMs = this.#nowMs();
    }
    return builder.finish();
  }

  #parse({ id, groups, domain, kind, action }: PlannedRule, builder: OwnLayerBuilder): void {
    // Patterns were checked when they were stored; one that does not compile matches nothing.
    const parsed = parseUserRule({ domain, kind, action }, trustPatterns);
    if (parsed.isRule) builder.add({ id, groups, rule: parsed.rule });
    else this.#notice(`The rule ${domain} is not in force: ${parsed.hint}. Change or delete it.`);
  }
}

/** What the history may store about each client; undefined when no client has a privacy level. */
export function privacyOf({ clients, defaultPrivacy = 0 }: SmallPlan): ClientPrivacy | undefined {
  return defaultPrivacy === 0 && clients.every(({ privacy = 0 }) => privacy === 0)
    ? undefined
    : new ClientPrivacy(clients.map(rowOf), defaultPrivacy);
}

/** Finds the configured client behind an address. */
export function clientTableOf(clients: readonly PlannedClient[]): ClientTable {
  return new ClientTable(clients.map(rowOf));
}

/** A client configured by host name may also identify itself by that name. */
function rowOf({ words, prefixBits = 0, groups, labels, ...by }: PlannedClient): ClientRow {
  return {
    id: by.id,
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
  };
}

/** Allocates no intermediate arrays: there may be thousands of clients. */
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
  if (empty === undefined) throw new Error('an empty snapshot could not be built');
  return empty;
}
