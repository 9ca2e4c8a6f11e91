// The door of updates: when lists are fetched and compiled, and what became of it.

export type { StoredCopy } from './copies-view.ts';
export type { ListEvents } from './list-events.ts';
export { ListService, type UpdateResult } from './list-service.ts';
export { ListUpdater } from './list-updater.ts';
