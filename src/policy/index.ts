// The door of the policy room: what a verdict is, and the interface that the engine uses.

export { canExplain, emptyPolicy, type ExplainingPolicy, type Policy } from './policy.ts';
export type { ClientTraits, PolicyClient } from './policy-client.ts';
export { noRank, pass, type AnswerForm, type Reason, type Verdict, type VerdictKind } from './verdict.ts';
export { patternSize } from './patterns/pattern-size.ts';
export { maxPatterns, maxPatternSize } from './snapshot/layout.ts';
export { MAX_PATTERN_SIZE } from './rules/limits.ts';
export { kindOfWord, macText } from './rules/client-words.ts';
export { loadPatternCheck, type PatternCheck } from './rules/pattern-check.ts';
export { RuleScanner, scanRules } from './rules/scan-rules.ts';
export type { RuleAction, RuleReach, RuleReport, RuleSink, ScannedRule } from './rules/scanned-rule.ts';
export { parseUserRule, trustPatterns, type UserRuleProblem } from './rules/user-rule.ts';
export { createPolicy, type CompiledPolicy } from './decide/compiled-policy.ts';
export type { CostlyRule } from './decide/rule-layer.ts';
export { PatternBudget } from './patterns/budget.ts';
export {
  precedence,
  rangeText,
  type Because,
  type OutcomeName,
  type PrecedenceRow,
  type Trace,
  type TraceStep,
} from './decide/trace.ts';
export { ListSurvey } from './decide/list-survey.ts';
export { ClientPrivacy } from './decide/client-privacy.ts';
export { ClientTable, type ClientRow } from './decide/client-table.ts';
export { createOwnLayer, OwnLayerBuilder, type OwnLayer, type OwnRule } from './decide/own-layer.ts';
export { openSnapshot, snapshotMemory, type Snapshot, type SnapshotProblem } from './snapshot/snapshot.ts';
export { SnapshotBuilder } from './snapshot/snapshot-builder.ts';
