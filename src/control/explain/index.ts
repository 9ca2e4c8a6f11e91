// The door of explanations: a decision with the names, lines and sentences that people read.

export type { Known } from './explanation-input.ts';
export type { ExplanationOutcome, ExplanationWanted } from './explanation-request.ts';
export { ListQuestions, type ListSearch, type Searched } from './list-questions.ts';
export { rulesIn } from './rule-results.ts';
export { explanationBody } from './steps.ts';
