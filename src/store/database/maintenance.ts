// The door for the maintenance of the database file: its checks, its copies, and where it lies.

export { careForDatabase, type CareResult, type CareThreadData, moveLog } from './care.ts';
export { copyPath, dayOf, newestCopyPath } from './copies.ts';
export { databaseFile, markSuspect } from './open-file.ts';
