// The door of the history thread: what others send it, and how the api thread asks it.

export { addressText, isIpv4, isLoopback } from './address-text.ts';
export { HistoryClient } from './client.ts';
export type {
  DnsTraces,
  FromHistory,
  HistoryLine,
  HistoryThreadData,
  ToHistory,
} from './history-messages.ts';
export type { HistoryPlan } from './history-plan.ts';
export { ownAddress } from './own-address.ts';
export { makeCancelled, type NamedClient, type NewQueries, type SituationName } from './protocol.ts';
export {
  type Answer,
  type QueryContext,
  type HistoryReader,
  noHistory,
  type QuestionName,
  type Scope,
  type Told,
  type ToldClientSlots,
  type ToldPage,
  type ToldUpstreams,
  type TopQuestion,
} from './questions.ts';
export { mostSeenClients, type SeenClient, SeenClients } from './seen-clients.ts';
