// Opens the database file, and mends what can be mended: a file that is no database, or is damaged, is put
// aside and the newest good copy takes its place. Nothing is ever deleted here. The deep check of a large
// file takes time, so at start only the cheap one is made; a later deep check that finds damage leaves a mark
// (`suspect`), and the next opening, which follows at once, checks deeply and mends. So there is one way of
// mending, and it is this file.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listCopies } from './copies.ts';
import { databaseTrouble, isDiskTrouble, troubleText } from './sqlite-errors.ts';

export interface Opened {
  readonly database: DatabaseSync;
  /**
   * `new`: there was none. `restored`: a copy took its place. `lost`: it was damaged and there was no copy.
   */
  readonly origin: 'existing' | 'new' | 'restored' | 'lost';
  /** What a person must hear about it. */
  readonly alarms: readonly string[];
  /** Why it can only be read for the time being, and must be opened anew once that is over. */
  readonly trouble?: string | undefined;
}

export const databaseFile = (dataDir: string): string => join(dataDir, 'sluice.db');
const suspectFile = (dataDir: string): string => join(dataDir, 'sluice.db.suspect');

export const openDatabaseFile = (dataDir: string, nowMs: number): Opened => {
  const path = databaseFile(dataDir);
  // A file without a byte, or none, is one that was never begun; or, where there are copies, one that was
  // lost, perhaps by an end in the middle of mending.
  const existed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const isLost = !existed && listCopies(dataDir).length > 0;
  const suspect = existsSync(suspectFile(dataDir));
  const attempt: Attempt = isLost
    ? { ok: false, problem: 'the file is missing or empty' }
    : openAnyhow(path, suspect ? 'deep' : 'cheap');
  if (attempt.ok) {
    rmSync(suspectFile(dataDir), { force: true });
    const { database, trouble } = attempt;
    const alarms = trouble === undefined ? [] : [noRoom(path, trouble)];
    return { database, origin: existed ? 'existing' : 'new', alarms, trouble };
  }
  const asidePath = putAside(path, nowMs);
  const alarm = `The database ${path} is broken: ${attempt.problem}. It was put aside as ${asidePath}.`;
  const restored = restoreNewestCopy(dataDir, alarm);
  rmSync(suspectFile(dataDir), { force: true });
  return restored;
};

/** Says that the file must be checked deeply when it is opened next. */
export const markSuspect = (dataDir: string): void => writeFileSync(suspectFile(dataDir), '');

const restoreNewestCopy = (dataDir: string, alarm: string): Opened => {
  const path = databaseFile(dataDir);
  for (const copy of listCopies(dataDir)) {
    if (!isGood(copy.path)) continue;
    copyDurably(copy.path, path);
    const attempt = tryOpen(path, 'cheap');
    if (!attempt.ok) continue;
    const said = `The copy of ${copy.date} was restored; what was changed after it is lost.`;
    return { database: attempt.database, origin: 'restored', alarms: [alarm, said] };
  }
  const said = 'There is no good copy: the service starts with an empty database and a new password.';
  const attempt = tryOpen(path, 'cheap');
  if (!attempt.ok) throw new Error(`${alarm} A new one cannot be made: ${attempt.problem}.`);
  return { database: attempt.database, origin: 'lost', alarms: [alarm, said] };
};

type Attempt =
  | { readonly ok: true; readonly database: DatabaseSync; readonly trouble?: string }
  | { readonly ok: false; readonly problem: string };

/**
 * SQLite keeps the index of its journal in a file beside the database, for which a full disk has no room.
 * Whoever has the database alone needs no such file (https://sqlite.org/wal.html#noshm), and can read it.
 */
const openAnyhow = (path: string, depth: 'cheap' | 'deep'): Attempt => {
  try {
    return tryOpen(path, depth);
  } catch (error) {
    if (!isDiskTrouble(error)) throw error;
    const alone = tryOpen(path, depth, 'pragma locking_mode = exclusive');
    return alone.ok ? { ...alone, trouble: troubleText(error) } : alone;
  }
};

const noRoom = (path: string, trouble: string): string =>
  `${path} can be read, but not be changed: ${trouble}. Make room on the disk; it is tried again by itself.`;

const tryOpen = (path: string, depth: 'cheap' | 'deep', first = ''): Attempt => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 2_000 });
    database.exec(first);
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    // Reading the schema touches the header and the first page: enough to know a file that is no database.
    database.prepare('select count(*) from sqlite_schema').get();
    const problem = depth === 'deep' ? deepProblem(database) : undefined;
    if (problem === undefined) return { ok: true, database };
    database.close();
    return { ok: false, problem };
  } catch (error) {
    database?.close();
    // A full disk or missing rights are no reason to put a good file aside.
    if (databaseTrouble(error) !== 'broken') throw error;
    return { ok: false, problem: troubleText(error) };
  }
};

/** One that the disk does not give is passed over: an older one may be whole. */
const isGood = (copy: string): boolean => {
  try {
    const attempt = tryOpen(copy, 'deep');
    if (attempt.ok) attempt.database.close();
    return attempt.ok;
  } catch {
    return false;
  }
};

/** What a thorough check finds; nothing when the file is sound. */
export const deepProblem = (database: DatabaseSync): string | undefined => {
  const row = database.prepare('pragma quick_check(1)').get();
  const result = row?.['quick_check'];
  return result === 'ok' ? undefined : `the check found: ${String(result)}`;
};

const putAside = (path: string, nowMs: number): string => {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const asidePath = `${path}.broken-${stamp}`;
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, asidePath + suffix);
  }
  return asidePath;
};

const copyDurably = (from: string, to: string): void => {
  const temporary = `${to}.restoring`;
  copyFileSync(from, temporary);
  const descriptor = openSync(temporary, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, to);
};
