// The policy that the engine queries: lists and the user's own rules as layers, groups as numbers, one walk
// for decisions and explanations. It is rebuilt whenever a list, a rule, a group, a client or a pause
// changes, which takes milliseconds, because names are not touched; the automata of unchanged patterns are
// taken over from the previous policy.

import type { ExplainingPolicy } from '../policy.ts';
import type { PolicyClient } from '../policy-client.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { noRank, pass, type Verdict } from '../verdict.ts';
import { ClientConditions } from './client-conditions.ts';
import { ClientTable, namesOf, type ClientRow } from './client-table.ts';
import { GroupSets, type GroupSet } from './group-sets.ts';
import { PatternBudget, stepsPerQuery } from '../patterns/budget.ts';
import { PatternReader } from '../patterns/pattern-reader.ts';
import type { OwnLayer } from './own-layer.ts';
import { LayerBase, RuleLayer, type CostlyRule, type LayerSource } from './rule-layer.ts';
import type { ListSurvey } from './list-survey.ts';
import { Tracer, traceOf, type Trace } from './trace.ts';
import { Walk } from './walk.ts';

/** The current properties of a list in the snapshot. A list without an entry applies to no client. */
interface ListInForce {
  readonly id: number;
  readonly groups: readonly number[];
  /** Sent to clients in an Extended DNS Error. */
  readonly name: string;
}

export interface PolicyOptions {
  readonly version: number;
  readonly lists: Snapshot;
  readonly listsInForce: readonly ListInForce[];
  /** Further lists, each compiled under the key of `lists`: for trying lists beside those in force. */
  readonly moreLists?: readonly Snapshot[];
  readonly own: OwnLayer;
  readonly clients: readonly ClientRow[];
  /** The groups in force of a client that is not configured. */
  readonly defaultGroups: readonly number[];
  /** False: no rule blocks, for any client. */
  readonly isBlocking: boolean;
  /** False while blocking is paused for clients that are not configured. */
  readonly isDefaultBlocking?: boolean;
  /**
   * Clients for which blocking is paused, whichever row of `clients` they match; groups do not count here.
   */
  readonly paused?: readonly ClientRow[];
  /** Shared from policy to policy; a new one by default. */
  readonly budget?: PatternBudget;
  /** The policy before this one, which is not used any more. */
  readonly previous?: CompiledPolicy | undefined;
}

const noAddress = new Uint8Array(16);
const unknownClient = { address: undefined, prefixBits: 0, names: [], tags: [] };

export class CompiledPolicy implements ExplainingPolicy {
  readonly version: number;
  readonly #own: RuleLayer;
  readonly #lists: RuleLayer;
  /** Undefined for nearly all policies. */
  readonly #more: readonly RuleLayer[] | undefined;
  readonly #groups = new GroupSets();
  readonly #conditions = new ClientConditions();
  readonly #clients: ClientTable;
  readonly #paused: ClientTable;
  readonly #unknown: ClientRow;
  readonly #isBlocking: boolean;
  readonly #hasAddresses: boolean;
  readonly #unknownSet: GroupSet;
  readonly #walk: Walk;

  /** `reader`: may be omitted when no rule is a pattern. */
  constructor(options: PolicyOptions, reader: PatternReader | undefined) {
    const { lists, own, previous } = options;
    const { names, meta } = own.snapshot;
    // Names in options are hashed, too.
    if (names + meta.options.length > 0 && !isSameKey(own.snapshot.key, lists.key))
      throw new Error('own rules must be hashed under the key of the lists');
    const layer = (
      base: number,
      snapshot: Snapshot,
      sources: readonly LayerSource[],
      before: RuleLayer | undefined,
    ): RuleLayer => new RuleLayer(base, snapshot, sources, this.#groups, this.#conditions, before, reader);
    this.version = options.version;
    this.#own = layer(
      LayerBase.own,
      own.snapshot,
      own.sources,
      previous === undefined ? undefined : previous.#own,
    );
    this.#lists = layer(
      LayerBase.list,
      lists,
      listSources(lists, options),
      previous === undefined ? undefined : previous.#lists,
    );
    this.#more = options.moreLists?.map((more) =>
      layer(LayerBase.list, more, listSources(more, options), undefined),
    );
    this.#clients = new ClientTable(options.clients);
    this.#paused = new ClientTable(options.paused ?? []);
    const { defaultGroups: groups, isDefaultBlocking: isBlocking = true } = options;
    this.#unknown = { ...unknownClient, groups, isBlocking };
    this.#isBlocking = options.isBlocking;
    this.#hasAddresses = own.snapshot.meta.prefixes.length + lists.meta.prefixes.length > 0;
    this.groupsOf({ address: noAddress, name: undefined });
    const [firstSet] = this.#groups.sets;
    if (firstSet === undefined) throw new Error('the first group set is that of unknown clients');
    this.#unknownSet = firstSet;
    this.#walk = new Walk(lists.key, firstSet, options.budget ?? new PatternBudget());
  }

  /** Texts of patterns that cannot be parsed; they never match. */
  get unreadablePatterns(): readonly string[] {
    return [this.#own, this.#lists].flatMap(({ patterns }) =>
      (patterns?.failed ?? []).map((number) => patterns?.patterns[number]?.text ?? ''),
    );
  }

  /** The patterns of each layer, whose automata the next policy may take over. */
  get patternTexts(): readonly string[] {
    return [this.#own, this.#lists].map(({ snapshot }) => textsOf(snapshot).join('\n'));
  }

  groupsOf(client: PolicyClient): number {
    const row = this.#clients.find(client) ?? this.#unknown;
    const { groups, tags } = row;
    const fulfilled = this.#conditions.fulfilled({
      address: client.address,
      names: namesOf(client, row),
      tags,
    });
    const isBlocking = this.#isBlocking && row.isBlocking && this.#paused.find(client) === undefined;
    return this.#groups.numberOf(groups, isBlocking, fulfilled, this.#conditions.count);
  }

  get budget(): PatternBudget {
    return this.#walk.budget;
  }

  decide(name: Uint8Array, nameLength: number, type: number, groups: number): Verdict {
    const walk = this.#walk;
    walk.begin(name, nameLength, type, this.#groups.sets[groups] ?? this.#unknownSet);
    walk.through(this.#own);
    // Any own rule takes precedence over all lists.
    if (walk.rank === noRank) this.#throughLists(walk);
    return this.#verdict();
  }

  #throughLists(walk: Walk): void {
    walk.through(this.#lists);
    if (this.#more !== undefined) for (const layer of this.#more) walk.through(layer);
  }

  decideAddress(bytes: Uint8Array, at: number, length: number, groups: number): Verdict {
    if (!this.#hasAddresses) return pass;
    const walk = this.#walk;
    walk.beginAddress(length, this.#groups.sets[groups] ?? this.#unknownSet);
    walk.throughAddress(this.#own, bytes, at, length);
    if (walk.rank === noRank) walk.throughAddress(this.#lists, bytes, at, length);
    return this.#verdict();
  }

  #verdict(): Verdict {
    const { layer, row } = this.#walk;
    return row < 0 || layer === undefined ? pass : layer.verdictOf(row);
  }

  clientOf(client: PolicyClient): ClientRow | undefined {
    return this.#clients.find(client);
  }

  /** The same decision, with every matching rule. */
  explain(
    name: Uint8Array,
    nameLength: number,
    type: number,
    groups: number,
    steps: number = stepsPerQuery,
  ): Trace {
    this.budget.left = steps;
    return this.#tell(groups, name.slice(0, nameLength), false, (walk, set) => {
      walk.begin(name, nameLength, type, set);
      walk.through(this.#own);
      this.#throughLists(walk);
    });
  }

  /** The same decision; `survey` receives all lists with a rule that applies, whether it wins or not. */
  survey(name: Uint8Array, nameLength: number, type: number, groups: number, survey: ListSurvey): Verdict {
    const walk = this.#walk;
    this.budget.renew();
    survey.begin();
    walk.listener = survey;
    walk.begin(name, nameLength, type, this.#groups.sets[groups] ?? this.#unknownSet);
    walk.through(this.#own);
    this.#throughLists(walk);
    walk.listener = undefined;
    return this.#verdict();
  }

  /** The rules that took the most steps for names on which patterns were left unfinished. */
  costlyRules(most: number): readonly CostlyRule[] {
    return [...this.#own.blamed, ...this.#lists.blamed]
      .toSorted((a, b) => b.steps - a.steps)
      .slice(0, most)
      .map(({ listId, ruleId, line }) => ({ listId, ruleId, line }));
  }

  /** Whether any rule applies to some query types only. */
  get dependsOnType(): boolean {
    return [this.#own, this.#lists, ...(this.#more ?? [])].some(({ dependsOnType }) => dependsOnType);
  }

  explainAddress(bytes: Uint8Array, at: number, length: number, groups: number): Trace {
    return this.#tell(groups, bytes.slice(at, at + length), true, (walk, set) => {
      walk.beginAddress(length, set);
      walk.throughAddress(this.#own, bytes, at, length);
      walk.throughAddress(this.#lists, bytes, at, length);
    });
  }

  #tell(
    groups: number,
    subject: Uint8Array,
    isAddress: boolean,
    go: (walk: Walk, set: GroupSet) => void,
  ): Trace {
    const set = this.#groups.sets[groups] ?? this.#unknownSet;
    const walk = this.#walk;
    const tracer = new Tracer(walk, subject, isAddress);
    walk.listener = tracer;
    go(walk, set);
    walk.listener = undefined;
    return traceOf(walk, tracer, this.#verdict(), set.groups, set.isBlocking);
  }
}

/** The pattern engine is loaded for the first pattern; all patterns are parsed first, in turns. */
export async function createPolicy(options: PolicyOptions): Promise<CompiledPolicy> {
  const { lists, own, moreLists = [], previous } = options;
  const texts = [lists, own.snapshot, ...moreLists].map((snapshot) => textsOf(snapshot));
  if (texts.flat().length === 0) return new CompiledPolicy(options, undefined);
  const reader = new PatternReader(await import('re2js'));
  const known = new Set(previous?.patternTexts);
  await reader.readAll(texts.filter((some) => !known.has(some.join('\n'))).flat());
  return new CompiledPolicy(options, reader);
}

function textsOf({ meta }: Snapshot): readonly string[] {
  return meta.patterns.map(({ text }) => text);
}

function isSameKey(a: Int32Array, b: Int32Array): boolean {
  return a.every((word, at) => word === b[at]);
}

function listSources(snapshot: Snapshot, { listsInForce }: PolicyOptions): LayerSource[] {
  const byId = new Map(listsInForce.map((list) => [list.id, list]));
  return snapshot.meta.sources.map(({ id }) => {
    const list = byId.get(id);
    return { id, groups: list?.groups ?? [], reason: 'list', text: list?.name ?? '' };
  });
}
