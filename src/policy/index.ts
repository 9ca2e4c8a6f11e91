// The door of the policy room: what a verdict is, and what the engine asks of a policy.

export { emptyPolicy, type Policy, type PolicyClient } from './policy.ts';
export { pass, type AnswerForm, type Reason, type Verdict, type VerdictKind } from './verdict.ts';
