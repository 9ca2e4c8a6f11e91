// The door of explanations: why a query is answered as it is, in sentences and as fields.

export type { Known } from './explanation-input.ts';
export type { ExplanationOutcome, ExplanationWanted } from './explanation-request.ts';
export { ListQuestions, type ListSearch, type Searched } from './list-questions.ts';
export { rulesIn } from './rule-results.ts';
export { explanationBody } from './steps.ts';
