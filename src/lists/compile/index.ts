// The door of the compile threads: they compile lists into a snapshot, and examine and search their texts.

export type { CompileJob, CompileReplies, OfflineRequest } from './compile-job.ts';
export { allowing } from './compile-lists.ts';
export { CompileThreads } from './compile-threads.ts';
export type { CompileThreadData } from './compile-worker.ts';
