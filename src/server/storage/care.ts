// The care of the database file: a deep check, and a copy of today if there is none. Both take time in
// proportion to the file, so this runs in a short-lived thread of its own. The copy is made by SQLite's
// online backup, checked, and only then given its name: a copy that is there is a good one.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { copiesDir, copyPath, dayOf, dropOldCopies, nextNumber, numbering } from './copies.ts';
import { databaseFile, deepProblem } from './open-file.ts';
import { databaseTrouble, troubleText } from './sqlite-errors.ts';

export type CareResult =
  | { readonly state: 'good'; readonly copied: boolean }
  | { readonly state: 'broken'; readonly problem: string }
  | { readonly state: 'failed'; readonly problem: string };

export const careForDatabase = async (dataDir: string, nowMs: number): Promise<CareResult> => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(databaseFile(dataDir), { readOnly: true, timeout: 5_000 });
    const problem = deepProblem(database);
    if (problem !== undefined) return { state: 'broken', problem };
    return { state: 'good', copied: await copyOfToday(database, dataDir, nowMs) };
  } catch (error) {
    const state = databaseTrouble(error) === 'broken' ? 'broken' : 'failed';
    return { state, problem: troubleText(error) };
  } finally {
    database?.close();
  }
};

const copyOfToday = async (database: DatabaseSync, dataDir: string, nowMs: number): Promise<boolean> => {
  const path = copyPath(dataDir, dayOf(nowMs));
  if (existsSync(path)) return false;
  mkdirSync(copiesDir(dataDir), { recursive: true, mode: 0o700 });
  const temporary = `${path}.making`;
  rmSync(temporary, { force: true });
  await backup(database, temporary, { rate: 500 });
  sealCopy(temporary, nextNumber(dataDir));
  renameSync(temporary, path);
  dropOldCopies(dataDir);
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
