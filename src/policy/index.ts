// The door of the policy room.

export { emptyPolicy, type Policy, type PolicyClient } from './policy.ts';
export { pass, type AnswerForm, type Reason, type Verdict, type VerdictKind } from './verdict.ts';
