// The door of the history thread: its messages, and the client for the api thread.

export { isLoopback } from './loopback.ts';
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
  type QuestionInput,
  type HistoryReader,
  noHistory,
  type QuestionName,
  type Scope,
  type QuestionResult,
  type ClientSlotsResult,
  type PageResult,
  type UpstreamsResult,
  type TopQuestion,
} from './questions.ts';
export { maxSeenClients, type SeenClient, SeenClients } from './seen-clients.ts';
