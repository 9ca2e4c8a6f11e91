// The door of the database: `change`, the read model, and the functions of each entity.

export {
  type AppPassword,
  countAppPasswords,
  deleteAppPassword,
  insertAppPassword,
} from './app-passwords.ts';
export { maintainDatabase, type MaintenanceResult, type MaintenanceThreadData, moveLog } from './care.ts';
export type { Actor, Change, Changed, ChangeOutcome, ChangeScope } from './change.ts';
export {
  clientById,
  type ClientFields,
  deleteClient,
  findClient,
  insertClient,
  restoreClient,
  type StoredClient,
  updateClient,
} from './clients.ts';
export { Collection } from './collection.ts';
export { copyPath, dayOf, newestCopyPath } from './copies.ts';
export { builtInList, defaultSubscription } from './default-subscription.ts';
export {
  deleteDomain,
  domainById,
  type DomainFields,
  domainKey,
  type DomainKey,
  findDomain,
  insertDomain,
  restoreDomain,
  type StoredDomain,
  updateDomain,
} from './domains.ts';
export {
  deleteGroup,
  findGroup,
  type Group,
  groupById,
  type GroupFields,
  insertGroup,
  restoreGroup,
  updateGroup,
} from './groups.ts';
export {
  deleteList,
  findLists,
  insertList,
  listById,
  type ListFields,
  listKey,
  type ListPlace,
  type ListReport,
  type ListRights,
  listsIn,
  listStatus,
  type ListType,
  type ReadLists,
  reportFields,
  reportList,
  restoreList,
  type StoredList,
  updateList,
} from './lists.ts';
export { isMasked, isSameAddress, maskedAddress, withMaskedAddress } from './masked-address.ts';
export { type MembershipFields, missingGroup, presentGroups } from './memberships.ts';
export type { MessageBoard } from './messages.ts';
export { databaseFile, markSuspect } from './open-file.ts';
export {
  countPauses,
  deletePause,
  dropEndedPauses,
  findPause,
  pauseById,
  pauseKey,
  type PauseOf,
  putPause,
  restorePause,
  type StoredPause,
  updatePause,
} from './pauses.ts';
export type { ReadModel } from './read-model.ts';
export { countEntities, type RevisedItem, summaryOf } from './restore-point.ts';
export type { ItemsOfChange, Revisions } from './revisions.ts';
export type { Secrets } from './secrets.ts';
export type { KeptSession } from './sessions-store.ts';
export { openStorage, type Storage } from './storage.ts';
export type { MessageType } from './unwritten-messages.ts';
export { storageFailure, writeFailure } from './write-failure.ts';
