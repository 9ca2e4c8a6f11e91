// One layer of rules, prepared for decisions: the lists' snapshot or that of the user's own rules, with the
// properties that change without a build: the groups of a list and its name. It is rebuilt with each change
// of the policy, so the only work per rule is filling an array: options are parsed and verdicts created when
// a row is first used, and then reused.

import { Flag, hasBadfilter, rowWords, sourceShift } from '../snapshot/layout.ts';
import { optionsFromText } from '../snapshot/option-codec.ts';
import type { PatternRow } from '../snapshot/rare-rules.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { SuffixHasher } from '../snapshot/suffix-hash.ts';
import { pass, type Reason, type Verdict, type VerdictKind } from '../verdict.ts';
import type { ClientConditions } from './client-conditions.ts';
import type { GroupSets } from './group-sets.ts';
import type { PatternReader } from '../patterns/pattern-reader.ts';
import { PatternSet, type PatternSource } from './pattern-set.ts';
import { prepareOptions, type PreparedOptions } from './prepared-options.ts';
import { parsingSteps } from './row-steps.ts';

/** The properties of a source (see snapshot-builder.ts) besides its rules. */
export interface LayerSource {
  /** Id of the list or of the user's rule: among equals, the lowest wins. */
  readonly id: number;
  readonly groups: readonly number[];
  readonly reason: Reason;
  /** The list's name, for people. */
  readonly text: string;
}

/** A rule as in verdicts: one of the two ids is 0. */
export interface CostlyRule {
  readonly listId: number;
  readonly ruleId: number;
  /** Line in the list; 0 for own rules, and for lists with too many rules for one name. */
  readonly line: number;
}

interface BlamedRule extends CostlyRule {
  readonly steps: number;
}

/** The first row of the precedence table that a layer uses. */
export const LayerBase = { own: 0, list: 4 } as const;

/** 0 to 3: important allow, important block, allow, block. Odd ranks block. */
export function rankOf(word: number): number {
  return ((word & Flag.important) === 0 ? 2 : 0) + ((word & Flag.allow) === 0 ? 1 : 0);
}

/** Sources that are remembered for `blamed`. */
const maxBlamed = 100;
const none: readonly number[] = [];
const unknownSource: LayerSource = { id: 0, groups: [], reason: 'list', text: '' };

export class RuleLayer {
  readonly base: number;
  readonly snapshot: Snapshot;
  /** By row. */
  readonly scopes: Int32Array;
  /** By number, from 1 on. */
  readonly #options: (PreparedOptions | undefined)[];
  readonly #conditions: ClientConditions;
  readonly #hasher: SuffixHasher;
  readonly patterns: PatternSet | undefined;
  /** The rows of the patterns, by their numbers. */
  readonly patternRows: Int32Array;
  /** Rows that disable a pattern, by its number. */
  readonly patternBadfilters: readonly (readonly number[])[];
  /** No pattern belongs to an earlier row of the table than this. */
  readonly bestPatternRank: number;
  readonly #sources: readonly LayerSource[];
  /** By source. */
  readonly #blamedRows = new Map<number, BlamedRule>();
  readonly #verdicts: (Verdict | undefined)[] = [];

  /** `sources`: one for each of the snapshot's, in its order. `previous`: its automaton may be reused. */
  constructor(
    base: number,
    snapshot: Snapshot,
    sources: readonly LayerSource[],
    groups: GroupSets,
    conditions: ClientConditions,
    previous: RuleLayer | undefined,
    reader: PatternReader | undefined,
  ) {
    const { meta, rowCount } = snapshot;
    this.base = base;
    this.snapshot = snapshot;
    this.#sources = sources;
    this.#conditions = conditions;
    this.#hasher = new SuffixHasher(snapshot.key);
    this.#options = Array.from({ length: meta.options.length + 1 });
    this.scopes = this.#scopesOf(rowCount, groups);
    // All conditions are known before the first client is looked up.
    for (const number of meta.conditional ?? meta.options.keys().map((at) => at + 1)) this.#option(number);
    this.patternRows = Int32Array.from(meta.patterns, ({ row }) => row);
    this.patternBadfilters = this.#patternBadfilters();
    this.bestPatternRank = base + Math.min(3, ...meta.patterns.map(({ row }) => rankOf(this.word(row))));
    this.patterns = this.#patternSet(previous, reader);
  }

  /** Consecutive sources nearly always have the same groups array. */
  #scopesOf(rowCount: number, groups: GroupSets): Int32Array {
    const bySource = new Int32Array(this.#sources.length);
    let last: readonly number[] | undefined;
    let scope = 0;
    for (let source = 0; source < bySource.length; source++) {
      const { groups: own } = this.#sources[source] ?? unknownSource;
      if (own !== last) scope = groups.scopeOf(own);
      last = own;
      bySource[source] = scope;
    }
    const scopes = new Int32Array(rowCount);
    for (let row = 0; row < rowCount; row++) scopes[row] = bySource[this.#sourceNumber(row)] ?? 0;
    return scopes;
  }

  /** Numbers begin at 1, as in rows. */
  #option(number: number): PreparedOptions | undefined {
    const known = this.#options[number];
    const text = this.snapshot.meta.options[number - 1];
    if (known !== undefined || text === undefined) return known;
    const options = optionsFromText(text);
    const condition = this.#conditions.numberOf(options);
    return (this.#options[number] = prepareOptions(options, condition, this.#hasher));
  }

  /** What `optionsOf` takes besides returning them: 0 once they are parsed. */
  stepsToPrepare(row: number): number {
    const number = this.snapshot.rows[row * rowWords + 1] ?? 0;
    if (this.#options[number] !== undefined) return 0;
    return parsingSteps(this.snapshot.meta.options[number - 1]?.length ?? 0);
  }

  /** Whether any rule applies to some query types only. */
  get dependsOnType(): boolean {
    return this.snapshot.meta.options.some((_, at) => this.#option(at + 1)?.types !== undefined);
  }

  #patternSet(previous: RuleLayer | undefined, reader: PatternReader | undefined): PatternSet | undefined {
    const patterns: readonly PatternSource[] = this.snapshot.meta.patterns.map(({ row, text }) => ({
      text,
      isInverted: this.optionsOf(row)?.isInverted ?? false,
    }));
    if (patterns.length === 0) return undefined;
    // Even under another key: its cached results are replaced as it is used.
    const kept = previous?.patterns;
    if (kept !== undefined && areSame(kept.patterns, patterns)) return kept;
    if (reader === undefined) throw new Error('a policy with patterns needs a pattern reader');
    return new PatternSet(patterns, reader);
  }

  /** The rules that took steps for names for which some rules were left unfinished. */
  get blamed(): readonly BlamedRule[] {
    const { blame } = this.patterns ?? { blame: [] };
    const patterns = this.snapshot.meta.patterns.flatMap(({ row, line }, pattern) => {
      const steps = blame[pattern] ?? 0;
      return steps === 0 ? [] : [this.#blamedRule(row, line, steps)];
    });
    return [...patterns, ...this.#blamedRows.values()];
  }

  #blamedRule(row: number, line: number, steps: number): BlamedRule {
    const { id } = this.sourceOf(row);
    const isOwn = this.base === LayerBase.own;
    return { listId: isOwn ? 0 : id, ruleId: isOwn ? id : 0, line, steps };
  }

  /** The set of rows at `at` took the most steps for a name whose rules were not all judged. */
  blame(at: number, steps: number): void {
    const rows = this.#blamedRows;
    const row = this.#usualRow(at);
    const source = this.#sourceNumber(row);
    const before = rows.get(source);
    if (before === undefined && rows.size >= maxBlamed) return;
    rows.set(source, this.#blamedRule(row, 0, (before?.steps ?? 0) + steps));
  }

  /** The same, of a pattern that matched. */
  blamePattern(pattern: number, steps: number): void {
    const { blame } = this.patterns ?? {};
    if (blame !== undefined) blame[pattern] = (blame[pattern] ?? 0) + steps;
  }

  /** A row of the source that has more than half of the set's rows, if there is one: a majority vote. */
  #usualRow(at: number): number {
    const { sets } = this.snapshot;
    const count = (sets[at] ?? 0) & ~hasBadfilter;
    let usual = 0;
    let votes = 0;
    for (let word = at + 1; word <= at + count; word++) {
      const row = sets[word] ?? 0;
      if (votes === 0) usual = row;
      votes += this.#sourceNumber(row) === this.#sourceNumber(usual) ? 1 : -1;
    }
    return usual;
  }

  #patternBadfilters(): (readonly number[])[] {
    const { patterns } = this.snapshot.meta;
    const keyOf = ({ row, text }: PatternRow): string => `${this.#ruleFlags(row)} ${text}`;
    const off = patterns.filter(({ row }) => (this.word(row) & Flag.badfilter) !== 0);
    const byKey = Map.groupBy(off, keyOf);
    return patterns.map((pattern) => byKey.get(keyOf(pattern))?.map(({ row }) => row) ?? none);
  }

  /** The same for a rule and the badfilters that disable it, from any source. */
  #ruleFlags(row: number): string {
    const flags = this.word(row) & ((1 << sourceShift) - 1) & ~Flag.badfilter;
    return `${flags} ${this.snapshot.rows[row * rowWords + 1] ?? 0}`;
  }

  word(row: number): number {
    return this.snapshot.rows[row * rowWords] ?? 0;
  }

  optionsOf(row: number): PreparedOptions | undefined {
    return this.#option(this.snapshot.rows[row * rowWords + 1] ?? 0);
  }

  #sourceNumber(row: number): number {
    return this.word(row) >>> sourceShift;
  }

  sourceOf(row: number): LayerSource {
    return this.#sources[this.#sourceNumber(row)] ?? unknownSource;
  }

  verdictOf(row: number): Verdict {
    return (this.#verdicts[row] ??= this.#makeVerdict(row));
  }

  #makeVerdict(row: number): Verdict {
    const { id, reason, text } = this.sourceOf(row);
    const isOwn = this.base === LayerBase.own;
    const form = this.optionsOf(row)?.form;
    const isAllowed = (this.word(row) & Flag.allow) !== 0;
    // The engine resolves an alias instead of only returning it, as it does for local answers.
    const kind: VerdictKind = isAllowed ? 'allow' : form?.kind === 'cname' ? 'local' : 'block';
    return {
      ...pass,
      kind,
      reason,
      rank: this.base + rankOf(this.word(row)),
      ruleId: isOwn ? id : 0,
      listId: isOwn ? 0 : id,
      form: isAllowed ? undefined : form,
      text,
    };
  }
}

function areSame(a: readonly PatternSource[], b: readonly PatternSource[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ text, isInverted }, at) => text === b[at]?.text && isInverted === b[at].isInverted)
  );
}
