// The door of the policy room: what a verdict is, and what the engine asks of a policy.

export { emptyPolicy, type Policy, type PolicyClient } from './policy.ts';
export { pass, type AnswerForm, type Reason, type Verdict, type VerdictKind } from './verdict.ts';
export { loadPatternCheck, type PatternCheck, type PatternFinding } from './rules/pattern-check.ts';
export { RuleScanner, scanRules, type ScanOptions } from './rules/scan-rules.ts';
export type {
  AddressRange,
  Choice,
  LineSample,
  RuleAction,
  RuleFormat,
  RuleOptions,
  RuleReach,
  RuleReport,
  RuleSink,
  ScannedRule,
  TextKind,
} from './rules/scanned-rule.ts';
export { parseUserRule, type UserRule, type UserRuleProblem, type UserRuleText } from './rules/user-rule.ts';
export {
  createPolicy,
  type CompiledPolicy,
  type ListInForce,
  type PolicyOptions,
} from './decide/compiled-policy.ts';
export type { ClientRow } from './decide/client-table.ts';
export { createOwnLayer, type OwnLayer, type OwnRule } from './decide/own-layer.ts';
export { precedence, type PrecedenceRow, type Trace, type TraceStep } from './decide/trace.ts';
export { openSnapshot, snapshotMemory, type Snapshot, type SnapshotProblem } from './snapshot/snapshot.ts';
export type { SourceCounts } from './snapshot/rare-rules.ts';
export { SnapshotBuilder, type BuilderOptions } from './snapshot/snapshot-builder.ts';
