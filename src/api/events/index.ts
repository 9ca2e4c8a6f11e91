// The door of events: the hub inside the process, and the streams to clients of the API.

export { tellChanges } from './change-events.ts';
export { type Emit, EventHub } from './event-hub.ts';
export { EventStreams } from './event-streams.ts';
export { FollowedQueries } from './query-source.ts';
