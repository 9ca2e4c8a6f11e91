// The door of the entities: their stored form, and the functions that write them inside a change.

export {
  type AppPassword,
  countAppPasswords,
  deleteAppPassword,
  insertAppPassword,
} from './app-passwords.ts';
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
  type ListKey,
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
