// The care of the database file: a deep check, and a copy of today if there is none. Both take time in
// proportion to the file, so this runs in a short-lived thread of its own. The copy is made by SQLite's
// online backup, checked, and only then given its name: a copy that is there is a good one.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { copiesDir, copyPath, damagedCopies, dayOf, dropOldCopies, nextNumber, numbering } from './copies.ts';
import { copyFacts } from './copy-facts.ts';
import { deepProblem } from './deep-check.ts';
import { breakSeal, seal } from './file-seal.ts';
import { noOwnCheckpoints } from './idle-checkpoint.ts';
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
      /** The days of old copies that are kept because they may hold what was lost. */
      readonly spared?: readonly string[];
      /** The days of copies that cannot be restored any more. */
      readonly damaged?: readonly string[];
    }
  | { readonly state: 'damaged'; readonly problem: string }
  | { readonly state: 'failed'; readonly problem: string };

export const maintainDatabase = async (dataDir: string, nowMs: number): Promise<MaintenanceResult> => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(databaseFile(dataDir), { readOnly: true, timeout: 5_000 });
    const problem = deepProblem(database);
    if (problem !== undefined) return { state: 'damaged', problem };
    const { missing, altered } = unusableTables(database);
    // Seven days of such copies would push out all that hold more.
    if (missing.length > 0) return { state: 'failed', problem: `it lacks the tables ${missing.join(', ')}` };
    if (altered.length > 0)
      return { state: 'failed', problem: `columns of ${altered.join(', ')} are missing or altered` };
    const copied = await copyOfToday(database, dataDir, nowMs);
    const spared = copied ? dropOldCopies(dataDir, copiesBeforeLosses(database)) : [];
    const damaged = damagedCopies(dataDir);
    return {
      state: 'good',
      copied,
      ...(spared.length > 0 && { spared }),
      ...(damaged.length > 0 && { damaged }),
    };
  } catch (error) {
    const state = databaseTrouble(error) === 'damaged' ? 'damaged' : 'failed';
    return { state, problem: troubleText(error) };
  } finally {
    database?.close();
  }
};

/** As far as others who read and write let it: it makes nobody wait. */
export function moveLog(dataDir: string): void {
  const database = new DatabaseSync(databaseFile(dataDir), { timeout: 0 });
  try {
    database.exec(`${noOwnCheckpoints}; pragma wal_checkpoint(passive)`);
  } finally {
    database.close();
  }
}

const copyOfToday = async (database: DatabaseSync, dataDir: string, nowMs: number): Promise<boolean> => {
  const path = copyPath(dataDir, dayOf(nowMs));
  // One that was damaged since is made anew, while there is something to make it of.
  if (existsSync(path) && copyFacts(path, true) !== undefined) return false;
  mkdirSync(copiesDir(dataDir), { recursive: true, mode: 0o700 });
  const temporary = `${path}.making`;
  rmSync(temporary, { force: true });
  await backup(database, temporary, { rate: 500 });
  sealCopy(temporary, nextNumber(dataDir));
  await breakSeal(path);
  renameSync(temporary, path);
  await seal(path);
  return true;
};

/** A copy is one file (no journal beside it), sound, and on the disk. */
const sealCopy = (path: string, number: number): void => {
  const copy = new DatabaseSync(path);
  try {
    copy.exec('pragma journal_mode = delete');
    copy.exec(numbering(number));
    const problem = deepProblem(copy);
    if (problem !== undefined) throw new Error(`the fresh copy ${path} is not sound: ${problem}`);
  } finally {
    copy.close();
  }
  const descriptor = openSync(path, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
};
