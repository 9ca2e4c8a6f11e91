// The door of events: the emitter inside the process, and the streams to clients of the API.

export { emitChanges } from './change-events.ts';
export { type Emit, EventHub } from './event-hub.ts';
export { EventStreams } from './event-streams.ts';
export { HistoryQuerySource } from './query-source.ts';
