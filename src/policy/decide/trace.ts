// The explanation of a decision: which rules matched, which of them applied, which won and why. Lists are
// named by id; the line and the text of a rule are found in the stored copy of its list, by the name that it
// is about.

import { ipText, nameToText } from '#wire';
import { Flag, Reach } from '../snapshot/layout.ts';
import type { RuleReach, RuleAction } from '../rules/scanned-rule.ts';
import { noRank, type Verdict } from '../verdict.ts';
import { LayerBase, rankOf, type RuleLayer } from './rule-layer.ts';
import type { Listener, Outcome, Walk } from './walk.ts';

/** The table of precedence, first row first. */
export const precedence = [
  'ownImportantAllow',
  'ownImportantBlock',
  'ownAllow',
  'ownBlock',
  'listImportantAllow',
  'listImportantBlock',
  'listAllow',
  'listBlock',
  'pass',
] as const;

export type PrecedenceRow = (typeof precedence)[number];
export type OutcomeName = keyof typeof Outcome;
/** Why the winner precedes the next rule: an earlier row, or within a row these criteria in turn. */
export type Because = 'onlyOne' | 'row' | 'exact' | 'longestSuffix' | 'lowestId';

export interface TraceStep {
  readonly row: PrecedenceRow;
  readonly outcome: OutcomeName;
  readonly action: RuleAction;
  readonly isImportant: boolean;
  readonly kind: 'name' | 'pattern' | 'address';
  readonly reach: RuleReach;
  /** The name that the rule is about; the text of a pattern; the range of an address, as 192.0.2.0/24. */
  readonly about: string;
  /** 0 for one of the user's own rules. */
  readonly listId: number;
  /** 0 for a rule of a list. */
  readonly ruleId: number;
  /** Line of a pattern; 0 where it has to be looked up in the list. */
  readonly line: number;
  /** Both halves of the rule's key in the snapshot; zeros for patterns. */
  readonly fingerprint: readonly [number, number];
  /** 1024: exact; otherwise the labels of the suffix, or the bits of a range; 0 for patterns. */
  readonly depth: number;
}

export interface Trace {
  readonly verdict: Verdict;
  readonly row: PrecedenceRow;
  readonly groups: readonly number[];
  readonly isBlocking: boolean;
  readonly steps: readonly TraceStep[];
  readonly winner: TraceStep | undefined;
  readonly because: Because | undefined;
}

const outcomeNames: readonly OutcomeName[] = [
  'holds',
  'otherGroups',
  'switchedOff',
  'otherType',
  'otherClient',
  'excepted',
  'blockingOff',
  'unfinished',
];
const reachNames: readonly RuleReach[] = ['exact', 'below', 'onlyBelow'];
/** Limit: more rules for one name would explain nothing. */
const maxSteps = 1000;

export class Tracer implements Listener {
  readonly steps: TraceStep[] = [];
  readonly #walk: Walk;
  readonly #subject: Uint8Array;
  readonly #isAddress: boolean;

  /** `subject`: a name of exactly its length, or the 4 or 16 bytes of an address. */
  constructor(walk: Walk, subject: Uint8Array, isAddress: boolean) {
    this.#walk = walk;
    this.#subject = subject;
    this.#isAddress = isAddress;
  }

  onRule(layer: RuleLayer, row: number, outcome: number, depth: number, suffix: number): void {
    const { low, high, starts, count } = this.#walk.hasher;
    const at = this.#isAddress ? 0 : suffix;
    this.#add(layer, row, outcome, {
      kind: this.#isAddress ? 'address' : 'name',
      about: this.#isAddress
        ? rangeText(this.#subject, suffix)
        : nameToText(this.#subject.slice(starts[count - 1 - suffix])),
      line: 0,
      fingerprint: [low[at] ?? 0, high[at] ?? 0],
      depth,
    });
  }

  onPattern(layer: RuleLayer, row: number, outcome: number, pattern: number): void {
    const found = layer.snapshot.meta.patterns[pattern];
    this.#add(layer, row, outcome, {
      kind: 'pattern',
      about: found?.text ?? '',
      line: found?.line ?? 0,
      fingerprint: [0, 0],
      depth: 0,
    });
  }

  #add(
    layer: RuleLayer,
    row: number,
    outcome: number,
    rest: Pick<TraceStep, 'kind' | 'about' | 'line' | 'fingerprint' | 'depth'>,
  ): void {
    if (this.steps.length >= maxSteps) return;
    const word = layer.word(row);
    const isOwn = layer.base === LayerBase.own;
    const { id } = layer.sourceOf(row);
    this.steps.push({
      row: precedence[layer.base + rankOf(word)] ?? 'pass',
      outcome: outcomeNames[outcome] ?? 'holds',
      action: (word & Flag.allow) === 0 ? 'block' : 'allow',
      isImportant: (word & Flag.important) !== 0,
      reach: reachNames[word & Flag.reach] ?? 'exact',
      listId: isOwn ? 0 : id,
      ruleId: isOwn ? id : 0,
      ...rest,
    });
  }
}

/** The first `bits` of an address; a single address without its length. */
export function rangeText(address: Uint8Array, bits: number): string {
  const range = address.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * at))));
  const text = ipText(range);
  return bits === 8 * range.length ? text : `${text}/${bits}`;
}

export function traceOf(
  walk: Walk,
  tracer: Tracer,
  verdict: Verdict,
  groups: readonly number[],
  isBlocking: boolean,
): Trace {
  const held = tracer.steps.filter(({ outcome }) => outcome === 'holds').toSorted(inOrder);
  const [winner, next] = held;
  return {
    verdict,
    row: precedence[Math.min(walk.rank, noRank)] ?? 'pass',
    groups,
    isBlocking,
    steps: tracer.steps,
    winner,
    because: winner === undefined ? undefined : becauseOf(winner, next),
  };
}

function inOrder(a: TraceStep, b: TraceStep): number {
  return (
    precedence.indexOf(a.row) - precedence.indexOf(b.row) ||
    b.depth - a.depth ||
    a.listId + a.ruleId - (b.listId + b.ruleId)
  );
}

function becauseOf(winner: TraceStep, next: TraceStep | undefined): Because {
  if (next === undefined) return 'onlyOne';
  if (winner.row !== next.row) return 'row';
  if (winner.depth === next.depth) return 'lowestId';
  return winner.reach === reachNames[Reach.exact] ? 'exact' : 'longestSuffix';
}
