// The door of the policy room: what a verdict is, and what the engine asks of a policy.

export { emptyPolicy, type Policy, type PolicyClient } from './policy.ts';
export { pass, type AnswerForm, type Reason, type Verdict, type VerdictKind } from './verdict.ts';
export { loadPatternCheck, type PatternCheck, type PatternFinding } from './rules/pattern-check.ts';
export { scanRules, type ScanOptions } from './rules/scan-rules.ts';
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
