// The interface between engine and policy. The engine calls `groupsOf` once per client and keeps the number
// until `version` changes; `decide` is called for every query, and again for every name in an answer.

import type { ClientRow } from './decide/client-table.ts';
import type { ListSurvey } from './decide/list-survey.ts';
import type { Trace } from './decide/trace.ts';
import { PatternBudget } from './patterns/budget.ts';
import type { PolicyClient } from './policy-client.ts';
import { pass, type Verdict } from './verdict.ts';

export interface Policy {
  /** Increases with every change; decisions of another version are made again. */
  readonly version: number;
  /** The number of the rules that apply to this client, from 0 on; only this policy can interpret it. */
  groupsOf(client: PolicyClient): number;
  /** The cost limit for expressions: renewed for each query, and shared by all names of its answer. */
  readonly budget: PatternBudget;
  /** `name`: lower-cased wire bytes that end with the root label; only `nameLength` of them count. */
  decide(name: Uint8Array, nameLength: number, type: number, groups: number): Verdict;
  /** An address (4 or 16 bytes at `at`) in an answer. */
  decideAddress(bytes: Uint8Array, at: number, length: number, groups: number): Verdict;
}

/** A policy that can also explain: the same decisions, with every matching rule. */
export interface ExplainingPolicy extends Policy {
  /** `steps`: what is left of the query's budget; all of it by default. */
  explain(name: Uint8Array, nameLength: number, type: number, groups: number, steps?: number): Trace;
  explainAddress(bytes: Uint8Array, at: number, length: number, groups: number): Trace;
  /** The same decision; `survey` receives the lists with a rule that applies. */
  survey(name: Uint8Array, nameLength: number, type: number, groups: number, survey: ListSurvey): Verdict;
  /** Whether any rule applies to some query types only. */
  readonly dependsOnType: boolean;
  /** The configured client; undefined when there is none. */
  clientOf(client: PolicyClient): ClientRow | undefined;
}

export function canExplain(policy: Policy): policy is ExplainingPolicy {
  return 'explain' in policy;
}

/** Blocks nothing, for any client. */
export const emptyPolicy: Policy = {
  version: 0,
  groupsOf: () => 0,
  budget: new PatternBudget(),
  decide: () => pass,
  decideAddress: () => pass,
};
