// The door of the entities: their stored form, and the functions that write them inside a change.

export {
  type AppPassword,
  countAppPasswords,
  deleteAppPassword,
  insertAppPassword,
} from './app-passwords.ts';
export { type ClientFields, clientTable, type StoredClient } from './clients.ts';
export { builtInList, defaultSubscription } from './default-subscription.ts';
export { type DomainFields, type DomainKey, domainTable, type StoredDomain } from './domains.ts';
export type { ItemTable } from './entity-table.ts';
export { type Group, type GroupFields, groupTable } from './groups.ts';
export {
  findLists,
  type ListFields,
  type ListKey,
  type ListReport,
  type ListRights,
  listsIn,
  listStatus,
  listTable,
  type ListType,
  type NewList,
  type ReadLists,
  reportFields,
  reportList,
  type StoredList,
} from './lists.ts';
export { isMasked, isSameAddress, maskedAddress, withMaskedAddress } from './masked-address.ts';
export { type MembershipFields, missingGroup } from './memberships.ts';
export {
  countPauses,
  deletePause,
  dropEndedPauses,
  findPause,
  pauseKey,
  type PauseOf,
  pauseTable,
  putPause,
  type StoredPause,
} from './pauses.ts';
