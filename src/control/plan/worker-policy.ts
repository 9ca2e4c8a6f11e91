// The policy of one worker, compiled from what the api thread says and from the lists that lie compiled in
// shared memory. Kept between changes, so that automata of patterns that stay are not made again.

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

/** How long queries may wait for own rules that are read; a text of them takes little more. */
const turnMs = 2;
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
  #told = '';
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * Without a clock it works on until it is done, for those that answer nobody. `readPrevious` gives the
   * snapshot before the one that cannot be used.
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

  /** Of the compiled lists. */
  get listNames(): number {
    return this.#lists.names;
  }

  /**
   * One after the other: what was said last holds in the end. `rules`: see `ruleTexts`. `moreLists` are
   * tried out beside the compiled ones, under the same key.
   */
  compile(
    plan: SmallPlan,
    rules: readonly string[],
    snapshot: SharedArrayBuffer | undefined,
    isTrusted = false,
    moreLists?: readonly Snapshot[],
  ): Promise<Policy> {
    const turn = this.#turn.then(() => this.#compile(plan, rules, snapshot, isTrusted, moreLists));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #compile(
    plan: SmallPlan,
    rules: readonly string[],
    snapshot: SharedArrayBuffer | undefined,
    isTrusted: boolean,
    moreLists: readonly Snapshot[] | undefined,
  ): Promise<Policy> {
    // It comes once, also while no list is in force.
    this.#open(snapshot, isTrusted);
    const { lists, clients, isBlocking, defaultGroups } = plan;
    if (rules.length === 0 && lists.length === 0) return emptyPolicy;
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
    this.#tellUnreadable(this.#previous.unreadablePatterns);
    return this.#previous;
  }

  /** Those that an earlier version has stored, or compiled into the lists. Each is told once. */
  #tellUnreadable(texts: readonly string[]): void {
    const told = texts.join('\n');
    if (told !== this.#told)
      for (const text of texts)
        this.#notice(
          `The regular expression ${text} is not in force: it cannot be read, or its repetitions stand for ` +
            'too much. Change or delete it; update the lists if it is not yours.',
        );
    this.#told = told;
  }

  /** Names for which expressions were left unfinished, and the rules that took the most steps then. */
  expressionFigures(most: number): { readonly unfinished: number; readonly costly: readonly CostlyRule[] } {
    return { unfinished: this.#budget.cuts, costly: this.#previous?.costlyRules(most) ?? [] };
  }

  #open(buffer: SharedArrayBuffer | undefined, isTrusted: boolean): void {
    if (buffer === undefined || buffer === this.#buffer) return;
    this.#buffer = buffer;
    const opened = openSnapshot(buffer, isTrusted);
    this.#previous = undefined;
    this.#lists = typeof opened === 'string' ? this.#openPrevious(opened) : opened;
  }

  /** A snapshot that is not whole is not used. The one before it is, or lists block nothing for a while. */
  #openPrevious(problem: string): Snapshot {
    const buffer = this.#readPrevious();
    const opened = buffer === undefined ? 'there is none' : openSnapshot(buffer);
    const isUsable = typeof opened !== 'string';
    const meanwhile = isUsable ? 'those compiled before them block' : 'they block nothing';
    this.#notice(
      `The compiled lists cannot be used (${problem}); ${meanwhile} until they are compiled anew.`,
    );
    return isUsable ? opened : emptySnapshot();
  }

  /** That of before, unless rules have changed, or the key that they are hashed under. */
  async #ownLayer(texts: readonly string[]): Promise<OwnLayer> {
    const { key } = this.#lists;
    if (this.#own?.key === key && areSameTexts(this.#own.texts, texts)) return this.#own.layer;
    const layer = await this.#readAll(texts, key);
    this.#own = { texts, key, layer };
    if (layer.refused > 0)
      this.#notice(
        `There is no room for ${layer.refused} own rules, and they are not in force. Delete regular ` +
          'expressions, or rules with extensions such as ;reply=.',
      );
    return layer;
  }

  /**
   * Queries are answered meanwhile by the policy before: many rules take longer than one may wait. Nothing
   * of a rule but its place in the layer is kept, or each collection of garbage would look at all of them.
   */
  async #readAll(texts: readonly string[], key: Int32Array): Promise<OwnLayer> {
    const builder = new OwnLayerBuilder(texts.length * rulesPerText, key);
    let sinceMs = this.#nowMs();
    for (const text of texts) {
      for (const rule of readRules(text)) this.#read(rule, builder);
      if (this.#nowMs() - sinceMs < turnMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sinceMs = this.#nowMs();
    }
    return builder.finish();
  }

  #read({ id, groups, domain, kind, action }: PlannedRule, builder: OwnLayerBuilder): void {
    // Patterns were checked when they were stored; one that does not compile matches nothing.
    const parsed = parseUserRule({ domain, kind, action }, trustPatterns);
    if (parsed.isRule) builder.add({ id, groups, rule: parsed.rule });
    else this.#notice(`The rule ${domain} is not in force: ${parsed.hint}. Change or delete it.`);
  }
}

/** What may be remembered of whom; nothing when there is nobody who wants anything hidden. */
export const privacyOf = ({ clients, defaultPrivacy = 0 }: SmallPlan): ClientPrivacy | undefined =>
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
