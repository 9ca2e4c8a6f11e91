// What the SQLite file says about itself, outside of its tables: bits of `user_version` in its header
// (https://sqlite.org/fileformat2.html), which a copy of the file has, too.

import type { DatabaseSync } from 'node:sqlite';

const bits = {
  /** The number of the last change was kept beside it. */
  hasMark: 1,
  /** What earlier versions deleted is gone from it. */
  isRebuilt: 2,
} as const;

export function hasFlag(database: DatabaseSync, flag: keyof typeof bits): boolean {
  return (versionOf(database) & bits[flag]) !== 0;
}

export function setFlag(database: DatabaseSync, flag: keyof typeof bits): void {
  database.exec(`pragma user_version = ${versionOf(database) | bits[flag]}`);
}

/** The smallest real write: it changes nothing and still goes to the disk. */
export function rewriteFlags(database: DatabaseSync): void {
  database.exec(`pragma user_version = ${versionOf(database)}`);
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0);
