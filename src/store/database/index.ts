// The door of storage: opening it, `change`, the read model and the revisions. Entities and the maintenance
// of the file have separate doors.

export type { Actor, Change, Changed, ChangeScope } from './change.ts';
export { Collection } from './collection.ts';
export type { MessageBoard } from './messages.ts';
export type { ReadModel } from './read-model.ts';
export { countEntities, type RevisedItem, summaryOf } from './restore-point.ts';
export type { ItemsOfChange, Revisions } from './revisions.ts';
export type { Secrets } from './secrets.ts';
export type { StoredSession } from './sessions-store.ts';
export { openStorage, type Storage } from './storage.ts';
export type { MessageType } from './unwritten-messages.ts';
export { databaseReason, storageFailure, writeFailure } from './write-failure.ts';
