// The door of threads: their priority, their state, and what native code needs of them.

export { collectGarbageAfterStart } from './garbage-after-start.ts';
export { makeHeartbeat, markLoadsIn, terminate } from './native-loads.ts';
export { lowerPriority, kernelThread } from './thread-priority.ts';
export type { ThreadStatus } from './thread-status.ts';
