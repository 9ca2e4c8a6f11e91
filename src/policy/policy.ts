// What the engine asks of a policy. The engine calls `groupsOf` once per client and keeps the number until
// `version` changes; `decide` is called for every query, and again for every name that an answer leads to.

import type { ClientRow } from './decide/client-table.ts';
import type { ListSurvey } from './decide/list-survey.ts';
import type { Trace } from './decide/trace.ts';
import { PatternBudget } from './patterns/budget.ts';
import type { PolicyClient } from './policy-client.ts';
import { pass, type Verdict } from './verdict.ts';

export interface Policy {
  /** Grows with every change; what was decided under another version is decided anew. */
  readonly version: number;
  /** Which rules hold for this client, as a number from 0 on that means something to this policy only. */
  groupsOf(client: PolicyClient): number;
  /** What expressions may cost: renewed for each query, and shared by all names that it leads to. */
  readonly budget: PatternBudget;
  /** `name`: lower-cased wire bytes that end with the root label; only `nameLength` of them count. */
  decide(name: Uint8Array, nameLength: number, type: number, groups: number): Verdict;
  /** An address (4 or 16 bytes at `at`) that an answer gives away. */
  decideAddress(bytes: Uint8Array, at: number, length: number, groups: number): Verdict;
}

/** One that can also tell why: the same decisions, with every rule that was met. */
export interface ExplainingPolicy extends Policy {
  /** `steps`: what is left of the budget of the query; all of it when it is not given. */
  explain(name: Uint8Array, nameLength: number, type: number, groups: number, steps?: number): Trace;
  explainAddress(bytes: Uint8Array, at: number, length: number, groups: number): Trace;
  /** The same decision; `survey` hears which lists had a rule that holds. */
  survey(name: Uint8Array, nameLength: number, type: number, groups: number, survey: ListSurvey): Verdict;
  /** Whether any rule is for some types of queries only. */
  readonly dependsOnType: boolean;
  /** Which configured client it is; undefined: none of them. */
  clientOf(client: PolicyClient): ClientRow | undefined;
}

export function canExplain(policy: Policy): policy is ExplainingPolicy {
  return 'explain' in policy;
}

/** Blocks nothing, for nobody. */
export const emptyPolicy: Policy = {
  version: 0,
  groupsOf: () => 0,
  budget: new PatternBudget(),
  decide: () => pass,
  decideAddress: () => pass,
};
