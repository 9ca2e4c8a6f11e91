// The one walk through the rules, for decisions and for explanations: hash the name, look up each of its
// suffixes from the shortest on, then the patterns, and keep the rule with the highest precedence. A decision
// needs only the winner; an explanation also gets each matching rule and why it applied or not.

import { Type } from '#wire';
import { Flag, hasBadfilter, Reach, rowWords, setBase } from '../snapshot/layout.ts';
import { SuffixHasher } from '../snapshot/suffix-hash.ts';
import type { PatternBudget } from '../patterns/budget.ts';
import type { GroupSet } from './group-sets.ts';
import { noRank } from '../verdict.ts';
import { includesType, type PreparedOptions } from './prepared-options.ts';
import { optionSteps, RowSteps } from './row-steps.ts';
import { rankOf, type RuleLayer } from './rule-layer.ts';
import type { SuffixSet } from './suffix-set.ts';

/** The result for a rule that matched. */
export const Outcome = {
  holds: 0,
  otherGroups: 1,
  switchedOff: 2,
  otherType: 3,
  otherClient: 4,
  excepted: 5,
  blockingOff: 6,
  /** Its steps are used up: whether it matches is unknown, and it counts as no match. */
  unfinished: 7,
} as const;

/** Receives each rule on the way. `depth`: see Walk; `suffix`: -1 for patterns. */
export interface Listener {
  onRule(layer: RuleLayer, row: number, outcome: number, depth: number, suffix: number): void;
  onPattern(layer: RuleLayer, row: number, outcome: number, pattern: number): void;
}

const exactDepth = 1024;
const nothing = new Uint8Array(0);

export class Walk {
  readonly hasher: SuffixHasher;
  readonly budget: PatternBudget;
  listener: Listener | undefined = undefined;
  /** The winner's row of the precedence table; `noRank` when no rule applies. */
  rank = noRank;
  row = -1;
  layer: RuleLayer | undefined = undefined;
  /** How close the winner is: exact names first, then suffixes by their number of labels, then patterns. */
  #depth = 0;
  #id = 0;
  #name: Uint8Array = nothing;
  #nameLength = 0;
  #type = 0;
  #set: GroupSet;
  /** Rules were left unfinished. */
  #isCut = false;
  readonly #steps = new RowSteps();
  /** The set or pattern that took the most steps of the last layer; -1: none. */
  #heaviest = -1;
  #heaviestSteps = 0;

  constructor(key: Int32Array, set: GroupSet, budget: PatternBudget) {
    this.hasher = new SuffixHasher(key);
    this.budget = budget;
    this.#set = set;
  }

  begin(name: Uint8Array, nameLength: number, type: number, set: GroupSet): void {
    this.#reset(name, nameLength, type, set);
    this.hasher.hash(name, nameLength);
  }

  beginAddress(length: number, set: GroupSet): void {
    this.#reset(nothing, 0, length === 4 ? Type.A : Type.AAAA, set);
  }

  #reset(name: Uint8Array, nameLength: number, type: number, set: GroupSet): void {
    this.rank = noRank;
    this.row = -1;
    this.#isCut = false;
    this.#name = name;
    this.#nameLength = nameLength;
    this.#type = type;
    this.#set = set;
  }

  /** Own rules precede lists: lists need not be searched when an own rule was found. */
  through(layer: RuleLayer): void {
    if (layer.snapshot.names > 0) this.#names(layer);
    if (layer.patterns === undefined) return;
    // A pattern never precedes a name in the same row of the table.
    if (this.rank > layer.bestPatternRank) this.#patterns(layer);
    else if (this.listener !== undefined) this.#patternsBesides(layer);
  }

  #names(layer: RuleLayer): void {
    const { low, high, count } = this.hasher;
    const isBesides = this.#beginRows(layer);
    for (let suffix = 0; suffix < count; suffix++) {
      const value = layer.snapshot.find(low[suffix] ?? 0, high[suffix] ?? 0);
      if (value !== 0) this.#meet(layer, value, suffix, count - 1);
    }
    this.#endRows(layer, isBesides);
  }

  /** Returns whether a decision would skip the layer, which only an explanation goes through. */
  #beginRows(layer: RuleLayer): boolean {
    this.#steps.begin(this.budget.left);
    this.#heaviest = -1;
    this.#heaviestSteps = 0;
    return this.rank < layer.base;
  }

  #endRows(layer: RuleLayer, isBesides: boolean): void {
    if (!isBesides) this.budget.left -= this.#steps.charged;
    if (!this.#steps.isCut) return;
    this.#countCut();
    if (this.listener === undefined && this.#heaviest >= 0) layer.blame(this.#heaviest, this.#heaviestSteps);
  }

  /** A name counts once, and not for an explanation. */
  #countCut(): void {
    if (this.listener === undefined && !this.#isCut) this.budget.cuts++;
    this.#isCut = true;
  }

  /** For explanations only: a decision skips them and keeps the steps for other names. */
  #patternsBesides(layer: RuleLayer): void {
    const { left } = this.budget;
    this.#patterns(layer);
    this.budget.left = left;
  }

  /** Ranges of addresses, the longest first. */
  throughAddress(layer: RuleLayer, bytes: Uint8Array, at: number, length: number): void {
    const { low, high } = this.hasher;
    const isBesides = this.#beginRows(layer);
    for (const prefix of layer.snapshot.meta.prefixes) {
      if (prefix >>> 8 !== length) continue;
      const bits = prefix & 0xff;
      this.hasher.hashAddress(bytes, at, length, bits);
      const value = layer.snapshot.find(low[0] ?? 0, high[0] ?? 0);
      // Any depth but the last one would do for `onlyBelow`, which addresses do not have.
      if (value !== 0) this.#meet(layer, value, bits, bits);
    }
    this.#endRows(layer, isBesides);
  }

  #meet(layer: RuleLayer, value: number, suffix: number, last: number): void {
    if (value < setBase) this.#consider(layer, value - 1, suffix, last, 0, 0);
    else this.#meetSet(layer, value - setBase, suffix, last);
  }

  #meetSet(layer: RuleLayer, at: number, suffix: number, last: number): void {
    const { sets } = layer.snapshot;
    const before = this.#steps.taken;
    const header = sets[at] ?? 0;
    const count = header & ~hasBadfilter;
    const hasLinks = header !== count;
    for (let place = 1; place <= count; place++) {
      const link = hasLinks ? (sets[at + count + place] ?? 0) : 0;
      this.#consider(layer, sets[at + place] ?? 0, suffix, last, at, link);
      // An explanation goes on, to list the unfinished rules.
      if (this.#steps.isCut && this.listener === undefined) break;
    }
    this.#weigh(at, this.#steps.taken - before);
  }

  #weigh(what: number, steps: number): void {
    if (steps <= this.#heaviestSteps) return;
    this.#heaviest = what;
    this.#heaviestSteps = steps;
  }

  /** `link`: the place in the set at `setAt` of the first badfilter that disables the row, or 0. */
  #consider(layer: RuleLayer, row: number, suffix: number, last: number, setAt: number, link: number): void {
    this.#steps.taken++;
    const word = layer.snapshot.rows[row * rowWords] ?? 0;
    const reach = word & Flag.reach;
    if ((word & Flag.badfilter) !== 0 || !reaches(reach, suffix === last)) return;
    const outcome = this.#outcomeOf(layer, row, word, setAt, link);
    const depth = reach === Reach.exact ? exactDepth : suffix + 1;
    if (this.listener !== undefined) this.listener.onRule(layer, row, outcome, depth, suffix);
    if (outcome === Outcome.holds) this.#propose(layer, row, layer.base + rankOf(word), depth);
  }

  #outcomeOf(layer: RuleLayer, row: number, word: number, setAt: number, link: number): number {
    if (!this.#steps.allows()) return Outcome.unfinished;
    if (link !== 0 && this.#isSwitchedOff(layer, setAt, link)) return Outcome.switchedOff;
    return this.#judge(layer, row, word);
  }

  #isSwitchedOff(layer: RuleLayer, setAt: number, first: number): boolean {
    const { sets } = layer.snapshot;
    const count = (sets[setAt] ?? 0) & ~hasBadfilter;
    for (let place = first; place !== 0; place = sets[setAt + count + place] ?? 0) {
      this.#steps.taken++;
      if (this.#isThere(layer, sets[setAt + place] ?? 0)) return true;
    }
    return false;
  }

  #isThere(layer: RuleLayer, row: number): boolean {
    return this.#set.scopes[layer.scopes[row] ?? 0] === 1;
  }

  #judge(layer: RuleLayer, row: number, word: number): number {
    if (!this.#isThere(layer, row)) return Outcome.otherGroups;
    if ((layer.snapshot.rows[row * rowWords + 1] ?? 0) !== 0) {
      this.#steps.taken += optionSteps + layer.stepsToPrepare(row);
      const outcome = this.#judgeOptions(layer.optionsOf(row));
      if (outcome !== Outcome.holds) return outcome;
    }
    const isBlock = (word & Flag.allow) === 0;
    return isBlock && !this.#set.isBlocking ? Outcome.blockingOff : Outcome.holds;
  }

  #judgeOptions(options: PreparedOptions | undefined): number {
    if (options === undefined) return Outcome.holds;
    const { types, denyallow, condition } = options;
    if (types !== undefined && !includesType(types, this.#type)) return Outcome.otherType;
    if (condition >= 0 && this.#set.conditions[condition] !== 1) return Outcome.otherClient;
    return denyallow !== undefined && this.#isDenied(denyallow) ? Outcome.excepted : Outcome.holds;
  }

  #isDenied(names: SuffixSet): boolean {
    this.#steps.taken += names.lookups(this.hasher);
    return names.covers(this.hasher);
  }

  #patterns(layer: RuleLayer): void {
    const { low, high, count } = this.hasher;
    const { patterns } = layer;
    if (patterns === undefined || count === 0) return;
    const [lowest, highest] = [low[count - 1] ?? 0, high[count - 1] ?? 0];
    const matched = patterns.match(this.#name, this.#nameLength, lowest, highest, this.budget);
    const { isCut } = patterns;
    if (matched.length > 0) this.#considerPatterns(layer, matched);
    if (isCut) this.#onCut(layer);
  }

  #considerPatterns(layer: RuleLayer, matched: readonly number[]): void {
    const steps = this.#steps;
    this.#beginRows(layer);
    for (const pattern of matched) {
      const before = steps.taken;
      this.#considerPattern(layer, pattern);
      this.#weigh(pattern, steps.taken - before);
      if (steps.isCut && this.listener === undefined) break;
    }
    this.budget.left -= steps.charged;
    if (!steps.isCut) return;
    this.#countCut();
    if (this.listener === undefined) layer.blamePattern(this.#heaviest, this.#heaviestSteps);
  }

  #onCut(layer: RuleLayer): void {
    const { listener } = this;
    this.#countCut();
    if (listener === undefined) return;
    for (const pattern of layer.patterns?.unfinished(this.#name, this.#nameLength) ?? [])
      listener.onPattern(layer, layer.patternRows[pattern] ?? 0, Outcome.unfinished, pattern);
  }

  #considerPattern(layer: RuleLayer, pattern: number): void {
    const row = layer.patternRows[pattern] ?? 0;
    const word = layer.word(row);
    if ((word & Flag.badfilter) !== 0) return;
    this.#steps.taken++;
    const outcome = this.#patternOutcome(layer, row, word, pattern);
    if (this.listener !== undefined) this.listener.onPattern(layer, row, outcome, pattern);
    if (outcome === Outcome.holds) this.#propose(layer, row, layer.base + rankOf(word), 0);
  }

  #patternOutcome(layer: RuleLayer, row: number, word: number, pattern: number): number {
    if (!this.#steps.allows()) return Outcome.unfinished;
    if (this.#isAnyThere(layer, layer.patternBadfilters[pattern])) return Outcome.switchedOff;
    return this.#judge(layer, row, word);
  }

  #isAnyThere(layer: RuleLayer, rows: readonly number[] | undefined): boolean {
    if (rows === undefined) return false;
    this.#steps.taken += rows.length;
    for (const row of rows) if (this.#isThere(layer, row)) return true;
    return false;
  }

  #propose(layer: RuleLayer, row: number, rank: number, depth: number): void {
    if (rank > this.rank) return;
    const { id } = layer.sourceOf(row);
    if (rank === this.rank && (depth < this.#depth || (depth === this.#depth && id >= this.#id))) return;
    this.rank = rank;
    this.row = row;
    this.layer = layer;
    this.#depth = depth;
    this.#id = id;
  }
}

function reaches(reach: number, isWhole: boolean): boolean {
  return reach === Reach.below || (reach === Reach.exact) === isWhole;
}
