// The maintenance of the database file: a deep check, and a copy of today if there is none. Both take longer
// for a larger file, so they run in a separate, short-lived thread. SQLite's online backup writes the copy
// under a temporary name; it gets its final name only after it was checked.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import {
  copiesDir,
  copyPath,
  damagedCopies,
  dayOf,
  dropOldCopies,
  nextNumber,
  numberStatement,
} from './copies.ts';
import { copyFacts } from './copy-facts.ts';
import { deepProblem } from './deep-check.ts';
import { breakSeal, seal } from './file-seal.ts';
import { disableAutoCheckpoint } from './idle-checkpoint.ts';
import { copiesBeforeLosses } from './losses.ts';
import { databaseFile } from './open-file.ts';
import { databaseTrouble, troubleText } from '#platform/sqlite';
import { unusableTables } from './table-check.ts';

/** What the maintenance thread gets when it starts. */
export interface MaintenanceThreadData {
  readonly dataDir: string;
  /** The time of the check and the copy; without it, the log is moved. */
  readonly nowMs?: number;
}

export type MaintenanceResult =
  | {
      readonly state: 'good';
      readonly copied: boolean;
      /** The days of old copies that are kept because they may contain lost changes. */
      readonly protectedCopies?: readonly string[];
      /** The days of copies that can no longer be restored. */
      readonly damaged?: readonly string[];
    }
  | { readonly state: 'damaged'; readonly problem: string }
  | { readonly state: 'failed'; readonly problem: string };

export async function maintainDatabase(dataDir: string, nowMs: number): Promise<MaintenanceResult> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(databaseFile(dataDir), { readOnly: true, timeout: 5_000 });
    const problem = deepProblem(database);
    if (problem !== undefined) return { state: 'damaged', problem };
    const { missing, altered } = unusableTables(database);
    // Otherwise, after seven days, copies of this database would have replaced all that contain the tables.
    if (missing.length > 0) return { state: 'failed', problem: `it lacks the tables ${missing.join(', ')}` };
    if (altered.length > 0)
      return { state: 'failed', problem: `columns of ${altered.join(', ')} are missing or altered` };
    const copied = await copyOfToday(database, dataDir, nowMs);
    const protectedCopies = copied ? dropOldCopies(dataDir, copiesBeforeLosses(database)) : [];
    const damaged = damagedCopies(dataDir);
    return {
      state: 'good',
      copied,
      ...(protectedCopies.length > 0 && { protectedCopies }),
      ...(damaged.length > 0 && { damaged }),
    };
  } catch (error) {
    const state = databaseTrouble(error) === 'damaged' ? 'damaged' : 'failed';
    return { state, problem: troubleText(error) };
  } finally {
    database?.close();
  }
}

/** Moves as much of the log as other connections allow; it never blocks readers or writers. */
export function moveLog(dataDir: string): void {
  const database = new DatabaseSync(databaseFile(dataDir), { timeout: 0 });
  try {
    database.exec(`${disableAutoCheckpoint}; pragma wal_checkpoint(passive)`);
  } finally {
    database.close();
  }
}

async function copyOfToday(database: DatabaseSync, dataDir: string, nowMs: number): Promise<boolean> {
  const path = copyPath(dataDir, dayOf(nowMs));
  // A copy of today that was damaged since is replaced while the database is still good.
  if (existsSync(path) && copyFacts(path, true) !== undefined) return false;
  mkdirSync(copiesDir(dataDir), { recursive: true, mode: 0o700 });
  const temporary = `${path}.making`;
  rmSync(temporary, { force: true });
  await backup(database, temporary, { rate: 500 });
  finishCopy(temporary, nextNumber(dataDir));
  await breakSeal(path);
  renameSync(temporary, path);
  await seal(path);
  return true;
}

/** Makes the copy a single file without a journal, checks it, and flushes it to the disk. */
function finishCopy(path: string, number: number): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec('pragma journal_mode = delete');
    copy.exec(numberStatement(number));
    const problem = deepProblem(copy);
    if (problem !== undefined) throw new Error(`the fresh copy ${path} is not sound: ${problem}`);
  } finally {
    copy.close();
  }
  const descriptor = openSync(path, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
