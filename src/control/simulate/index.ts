// The door of simulations: what changed rules and lists would have done to the stored queries.

export {
  changedPolicy,
  planForAllClients,
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
