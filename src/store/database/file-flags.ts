// Flags in the header of the SQLite file: bits of `user_version` (https://sqlite.org/fileformat2.html). A copy
// of the file has the same flags.

import type { DatabaseSync } from 'node:sqlite';

const bits = {
  /** There is a high-water mark beside the file (high-water-mark.ts). */
  hasHighWaterMark: 1,
  /** Leftovers of rows that earlier releases deleted were removed (deleted-leftovers.ts). */
  isRebuilt: 2,
} as const;

export function hasFlag(database: DatabaseSync, flag: keyof typeof bits): boolean {
  return (versionOf(database) & bits[flag]) !== 0;
}

export function setFlag(database: DatabaseSync, flag: keyof typeof bits): void {
  database.exec(`pragma user_version = ${versionOf(database) | bits[flag]}`);
}

/** The smallest real write: it changes nothing but reaches the disk. */
export function rewriteFlags(database: DatabaseSync): void {
  database.exec(`pragma user_version = ${versionOf(database)}`);
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0);
