// The door of simulations: changed rules and lists, tried on the stored queries.

export {
  changedPolicy,
  everybodysPlan,
  type ListToAdd,
  type PolicyChange,
  type PolicyEntities,
  type RuleToAdd,
} from './changed-policy.ts';
export type {
  Difference,
  Refused,
  Simulated,
  SimulateThreadData,
  SimulationRequest,
  Surveyed,
  SurveyedList,
} from './job.ts';
export { SimulateThreads } from './simulate-threads.ts';
export { Simulations, type SimulationWanted } from './simulations.ts';
