// The options of a rule, prepared for decisions: each check takes a bounded number of steps, however many
// values the rule has.

import type { AnswerForm } from '../verdict.ts';
import type { Choice, RuleOptions } from '../rules/scanned-rule.ts';
import type { SuffixHasher } from '../snapshot/suffix-hash.ts';
import { SuffixSet } from './suffix-set.ts';

export interface PreparedOptions {
  readonly types: TypeChoice | undefined;
  /** The rule does not apply to these names and to names below them. */
  readonly denyallow: SuffixSet | undefined;
  readonly form: AnswerForm | undefined;
  readonly isInverted: boolean;
  /** A number of ClientConditions; -1: for all clients. */
  readonly condition: number;
}

/** Sorted. */
interface TypeChoice {
  readonly only: Uint16Array;
  readonly except: Uint16Array;
}

export function prepareOptions(
  { types, denyallow, form, isInverted }: RuleOptions,
  condition: number,
  hasher: SuffixHasher,
): PreparedOptions {
  return {
    types: types === undefined ? undefined : sortedChoice(types),
    denyallow: denyallow === undefined ? undefined : new SuffixSet(denyallow, hasher),
    form,
    isInverted,
    condition,
  };
}

function sortedChoice({ only, except }: Choice<number>): TypeChoice {
  return { only: Uint16Array.from(only).sort(), except: Uint16Array.from(except).sort() };
}

export function includesType({ only, except }: TypeChoice, type: number): boolean {
  return (only.length === 0 || has(only, type)) && !has(except, type);
}

function has(sorted: Uint16Array, type: number): boolean {
  let from = 0;
  let end = sorted.length;
  while (from < end) {
    const middle = (from + end) >>> 1;
    const value = sorted[middle] ?? 0;
    if (value === type) return true;
    if (value < type) from = middle + 1;
    else end = middle;
  }
  return false;
}
