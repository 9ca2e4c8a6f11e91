// What the policy says about a name or an address, as data: the trace of its walk without what has a meaning
// inside of it only.

import { canExplain, type Policy, type Trace, type TraceStep } from '#policy';
import type { Judged, MetRule } from './explained.ts';

/** More rules for one name are no explanation. */
const maxRules = 100;

const nothing: Judged = { verdict: 'pass', row: 'pass', because: undefined, rules: [] };

/** `steps`: what is left of the budget of the query; all of it when it is not given. */
export function judgeName(
  policy: Policy,
  name: Uint8Array,
  type: number,
  groups: number,
  steps?: number,
): Judged {
  return canExplain(policy) ? judgedBy(policy.explain(name, name.length, type, groups, steps)) : nothing;
}

export function judgeAddress(policy: Policy, address: Uint8Array, groups: number): Judged {
  return canExplain(policy) ? judgedBy(policy.explainAddress(address, 0, address.length, groups)) : nothing;
}

function judgedBy({ verdict, row, because, steps, winner }: Trace): Judged {
  const others = steps.filter((step) => step !== winner);
  const ordered = winner === undefined ? others : [winner, ...others];
  const rules = ordered.slice(0, maxRules).map((step) => metRule(step, step === winner));
  return { verdict: verdict.kind, row, because, rules };
}

function metRule(step: TraceStep, isWinner: boolean): MetRule {
  const { row, outcome, action, isImportant, kind, reach, about, listId, ruleId, line } = step;
  return { row, outcome, isWinner, action, isImportant, kind, reach, about, listId, ruleId, line };
}
