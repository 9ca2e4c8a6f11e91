// The door for the maintenance of the database file: its checks, its copies and its path.

export {
  maintainDatabase,
  type MaintenanceResult,
  type MaintenanceThreadData,
  moveLog,
} from './maintain-database.ts';
export { copyPath, dayOf, newestCopyPath } from './copies.ts';
export { databaseFile, markSuspect } from './open-file.ts';
