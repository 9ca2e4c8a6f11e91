// Opens the database file and repairs it if necessary: a file that is damaged or not a database is put aside
// and replaced by the newest good copy. Nothing is deleted here. The deep check of a large file takes time,
// so a normal start runs only the cheap check. When the service finds damage later, it calls `markSuspect`
// and opens the database again; that opening runs the deep check and repairs. All repairs happen in this
// file. A database that has lost all its tables counts as damaged. A sound database that lacks changes is
// used and the missing changes are reported, because it may be a backup that a user restored.

import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listCopies } from './copies.ts';
import { copyFacts } from './copy-facts.ts';
import { deepProblem } from './deep-check.ts';
import { overwriteDeleted } from './deleted-leftovers.ts';
import { copyDurably, syncFolder } from '#platform/files';
import { dropSeal, hasSeal, isSealViolated } from './file-seal.ts';
import { highWaterMarkFile, readHighWaterMark, type FoundHighWaterMark } from './high-water-mark.ts';
import { disableAutoCheckpoint } from './idle-checkpoint.ts';
import { factsOf, type FileFacts } from './last-change.ts';
import { databaseTrouble, isDiskTrouble, troubleText } from '#platform/sqlite';

export interface Opened {
  readonly database: DatabaseSync;
  /**
   * `new`: there was no file. `restored`: a copy replaced a damaged file. `reset`: an empty database replaced
   * a damaged file, because there was no good copy.
   */
  readonly origin: 'existing' | 'new' | 'restored' | 'reset';
  /** Messages for the log. */
  readonly alarms: readonly string[];
  /** Stored data is missing or modified: the alarms about it in one text, which a user must acknowledge. */
  readonly loss?: string | undefined;
  /** The file changed while the service did not have it open. */
  readonly isModifiedOutside?: boolean;
  /** Why the file is read-only at the moment. It must be opened again when the disk is writable. */
  readonly trouble?: string | undefined;
}

/** What the other files in the folder say about the database before it is opened. */
interface Expected {
  readonly dataDir: string;
  readonly path: string;
  readonly nowMs: number;
  readonly highWaterMark: FoundHighWaterMark;
  /** The database must have tables, because a copy or a high-water mark exists. */
  readonly mustHaveTables: boolean;
  /** The file changed while the service did not have it open. */
  readonly isModifiedOutside: boolean;
  /** The service was killed: the last changes were in the write-ahead log and not yet in the file. */
  readonly neededLog: boolean;
}

export const databaseFile = (dataDir: string): string => join(dataDir, 'sluice.db');
const suspectFile = (dataDir: string): string => join(dataDir, 'sluice.db.suspect');

export function openDatabaseFile(dataDir: string, nowMs: number): Opened {
  const path = databaseFile(dataDir);
  const highWaterMark = readHighWaterMark(dataDir);
  const mustHaveTables = highWaterMark.state !== 'missing' || listCopies(dataDir).length > 0;
  const isModifiedOutside = isSealViolated(path);
  const neededLog = hasLog(path) || !hasSeal(path);
  const expected = { dataDir, path, nowMs, highWaterMark, mustHaveTables, isModifiedOutside, neededLog };
  // A missing or empty file means that the database is new. If there was one before, the file was lost, for
  // example because the service was killed during a repair.
  const existed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  // After a kill the log still has changes, and SQLite may move them into the file whenever it closes it.
  if (hasLog(path) && !expected.isModifiedOutside) dropSeal(path);
  const attempt = !existed && mustHaveTables ? missingFile : openAndCompare(expected);
  const opened = attempt.ok ? describeOpened(attempt, expected, existed) : replaceDamaged(attempt, expected);
  rmSync(suspectFile(dataDir), { force: true });
  return opened;
}

/** Requests a deep check at the next opening. */
export const markSuspect = (dataDir: string): void => writeFileSync(suspectFile(dataDir), '');

type Attempt = Success | Failure;
interface Success {
  readonly ok: true;
  readonly database: DatabaseSync;
  readonly facts: FileFacts;
  readonly trouble?: string;
}
interface Failure {
  readonly ok: false;
  readonly problem: string;
  /** Call it after the file is put aside, because SQLite deletes the log of a file that it closes. */
  readonly close: () => void;
}

const missingFile: Failure = { ok: false, problem: 'the file is missing or empty', close: () => undefined };

function openAndCompare(expected: Expected): Attempt {
  const attempt = openWithFallback(
    expected.path,
    existsSync(suspectFile(expected.dataDir)) ? 'deep' : 'cheap',
  );
  if (!attempt.ok) return attempt;
  const { database, facts } = attempt;
  const problem = noTablesProblem(expected, facts) ?? missingChangesProblem(expected, attempt);
  return problem === undefined ? attempt : { ok: false, problem, close: () => database.close() };
}

const noTablesProblem = ({ mustHaveTables }: Expected, { tables }: FileFacts): string | undefined =>
  tables === 0 && mustHaveTables ? 'it has no tables, although it had some' : undefined;

/**
 * A file that lacks changes gets the deep check, because it may contain a mixture of old and new pages. If
 * the service was killed, the file is not a backup that a user restored: its log is damaged or lost, and a
 * copy with more changes replaces it.
 */
function missingChangesProblem(expected: Expected, { database, facts }: Success): string | undefined {
  const { dataDir, highWaterMark, isModifiedOutside, neededLog } = expected;
  const count = countMissing(highWaterMark, facts);
  if (count === 0 && !isModifiedOutside) return undefined;
  if (count > 0 && neededLog && lastChangeInCopy(dataDir) > facts.lastChange)
    return `its write-ahead log is damaged or lost, and the last ${changesText(count)} cannot be read`;
  return deepProblem(database, 'integrity_check');
}

/** The last change in the copy that would be restored; 0 without a good copy. */
function lastChangeInCopy(dataDir: string): number {
  for (const { path } of listCopies(dataDir)) {
    const facts = copyFacts(path, true);
    if (facts !== undefined) return facts.lastChange;
  }
  return 0;
}

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

const countMissing = (
  highWaterMark: FoundHighWaterMark,
  { lastChange }: Pick<FileFacts, 'lastChange'>,
): number => (highWaterMark.state === 'known' ? Math.max(0, highWaterMark.last - lastChange) : 0);

function describeOpened({ database, facts, trouble }: Success, expected: Expected, existed: boolean): Opened {
  const { path, highWaterMark } = expected;
  const alarms = trouble === undefined ? [] : [readOnlyAlarm(path, trouble)];
  const hasLostMark = highWaterMark.state === 'missing' && facts.hadHighWaterMark;
  if (highWaterMark.state === 'unreadable' || hasLostMark) alarms.push(highWaterMarkAlarm(expected));
  const origin = existed ? 'existing' : 'new';
  const count = countMissing(highWaterMark, facts);
  if (count === 0 && !expected.isModifiedOutside) return { database, origin, alarms, trouble };
  const loss = count === 0 ? checksumAlarm(expected) : missingChangesAlarm(expected, facts);
  return {
    database,
    origin,
    alarms: [...alarms, loss],
    trouble,
    loss,
    isModifiedOutside: expected.isModifiedOutside,
  };
}

const highWaterMarkAlarm = ({ dataDir, highWaterMark }: Expected): string =>
  `The file with the number of the last change, ${highWaterMarkFile(dataDir)}, is ${highWaterMark.state}: ` +
  'the service cannot detect whether changes were lost before this start. It creates the file again.';

/** The file is sound but older than expected. Only the user knows whether that is intended. */
function missingChangesAlarm(expected: Expected, facts: FileFacts): string {
  const { path, highWaterMark } = expected;
  const count = countMissing(highWaterMark, facts);
  return (
    `${changesText(count)} ${count === 1 ? 'is' : 'are'} missing from the database ${path}: it ends with ` +
    `change number ${facts.lastChange}, but number ${facts.lastChange + count} was stored. Its write-ahead ` +
    `log was damaged or lost, or an older file replaced it.${keepFilesAsFound(expected)} If you restored ` +
    'an older backup on purpose, delete this message. If not, make the changes again, or restore a copy ' +
    '(docs/operating.md).'
  );
}

/** No change is missing and the deep check found nothing, but stored values may be damaged. */
const checksumAlarm = ({ path }: Expected): string =>
  `The database ${path} was modified from outside: its checksum does not match. If you changed or restored ` +
  'it on purpose, delete this message. If not, the disk has damaged it: check that rules and settings are ' +
  'right, or restore a copy (docs/operating.md), and do not trust this disk.';

const changesText = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);

/** SQLite ignores the damaged part of the log, and the first write will overwrite it. */
function keepFilesAsFound({ path, nowMs }: Expected): string {
  if (!hasLog(path)) return '';
  const kept = timestampedPath(path, 'shortened', nowMs);
  try {
    copyFileSync(path, kept);
    copyFileSync(`${path}-wal`, `${kept}-wal`);
    return ` Both files were kept as ${kept} and ${kept}-wal.`;
  } catch {
    return ' The files could not be kept as they were found.';
  }
}

function replaceDamaged(failure: Failure, expected: Expected): Opened {
  const { path, nowMs, dataDir, highWaterMark } = expected;
  const asidePath = putAside(path, nowMs);
  dropSeal(path);
  failure.close();
  const kept = asidePath === undefined ? '' : ` It was put aside as ${asidePath}.`;
  const alarm = `The database ${path} is broken: ${failure.problem}.${kept}`;
  const { database, origin, report, lastChange } = restoreNewestCopy(dataDir, alarm);
  const count = countMissing(highWaterMark, { lastChange });
  const alarms = [alarm, count === 0 ? report : `${report} Missing: ${changesText(count)}.`];
  return { database, origin, alarms, loss: alarms.join(' ') };
}

interface Replacement {
  readonly database: DatabaseSync;
  readonly origin: 'restored' | 'reset';
  /** What the service did, for the log. */
  readonly report: string;
  readonly lastChange: number;
}

function restoreNewestCopy(dataDir: string, alarm: string): Replacement {
  const path = databaseFile(dataDir);
  for (const copy of listCopies(dataDir)) {
    if (copyFacts(copy.path, true) === undefined) continue;
    copyDurably(copy.path, path);
    const attempt = tryOpen(path, 'cheap');
    if (!attempt.ok) attempt.close();
    else {
      const { database, facts } = attempt;
      const report = `The copy of ${copy.date} was restored; later changes are lost.`;
      return { database, origin: 'restored', report, lastChange: facts.lastChange };
    }
  }
  const report = 'There is no good copy: the service starts with an empty database and a new password.';
  const attempt = tryOpen(path, 'cheap');
  if (!attempt.ok) throw new Error(`${alarm} A new one cannot be created: ${attempt.problem}.`);
  return { database: attempt.database, origin: 'reset', report, lastChange: 0 };
}

/**
 * SQLite keeps the index of its write-ahead log in a file beside the database, and cannot create that file on
 * a full disk. A connection with exclusive locking needs no such file (https://sqlite.org/wal.html#noshm), so
 * the database can at least be read.
 */
function openWithFallback(path: string, depth: 'cheap' | 'deep'): Attempt {
  try {
    return tryOpen(path, depth);
  } catch (error) {
    if (!isDiskTrouble(error)) throw error;
    const alone = tryOpen(path, depth, 'pragma locking_mode = exclusive');
    return alone.ok ? { ...alone, trouble: troubleText(error) } : alone;
  }
}

const readOnlyAlarm = (path: string, trouble: string): string =>
  `${path} can be read but not written: ${trouble}. Free some disk space; the service retries automatically.`;

function tryOpen(path: string, depth: 'cheap' | 'deep', first = ''): Attempt {
  let database: DatabaseSync | undefined;
  const close = (): void => database?.close();
  try {
    database = new DatabaseSync(path, { timeout: 2_000 });
    database.exec(first);
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    database.exec(`${disableAutoCheckpoint}; ${overwriteDeleted}`);
    // This reads the header and the first page, which is enough to detect a file that is not a database.
    const facts = factsOf(database);
    const problem = depth === 'deep' ? deepProblem(database) : undefined;
    return problem === undefined ? { ok: true, database, facts } : { ok: false, problem, close };
  } catch (error) {
    // A full disk or missing permissions are no reason to put a good file aside.
    if (databaseTrouble(error) === 'damaged') return { ok: false, problem: troubleText(error), close };
    close();
    throw error;
  }
}

const timestampedPath = (path: string, what: string, nowMs: number): string =>
  `${path}.${what}-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;

/** Where the database file is now; undefined when only its log was left, or nothing. */
function putAside(path: string, nowMs: number): string | undefined {
  const asidePath = timestampedPath(path, 'broken', nowMs);
  const found = ['-wal', '-shm', ''].filter((suffix) => existsSync(path + suffix));
  for (const suffix of found) renameSync(path + suffix, asidePath + suffix);
  syncFolder(dirname(path));
  return found.includes('') ? asidePath : undefined;
}
