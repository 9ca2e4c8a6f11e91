// The door of updates: schedules fetches and compilations of lists, and reports their results.

export type { StoredCopy } from './copies-view.ts';
export type { ListEvents } from './list-events.ts';
export { ListService, type UpdateResult } from './list-service.ts';
export { ListUpdater } from './list-updater.ts';
