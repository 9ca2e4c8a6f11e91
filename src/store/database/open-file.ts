// Opens the database file, and mends what can be mended: a file that is no database, or is damaged, is put
// aside and the newest good copy takes its place. Nothing is ever deleted here. The deep check of a large
// file takes time, so at start only the cheap one is made; a later deep check that finds damage leaves a mark
// (`suspect`), and the next opening, which follows at once, checks deeply and mends. So there is one way of
// mending, and it is this file. A file without tables where there were some is broken, too. One that is sound
// and lacks changes is used, and said to lack them: it may be a backup that a person restored.

import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listCopies } from './copies.ts';
import { copyFacts } from './copy-facts.ts';
import { deepProblem } from './deep-check.ts';
import { overwriteDeleted } from './deleted-traces.ts';
import { copyDurably, syncFolder } from '#platform/files';
import { dropSeal, hasSeal, isSealViolated } from './file-seal.ts';
import { markFile, readMark, type FoundMark } from './high-water-mark.ts';
import { noOwnCheckpoints } from './idle-checkpoint.ts';
import { factsOf, type FileFacts } from './last-change.ts';
import { databaseTrouble, isDiskTrouble, troubleText } from '#platform/sqlite';

export interface Opened {
  readonly database: DatabaseSync;
  /**
   * `new`: there was none. `restored`: a copy took its place. `lost`: it was damaged and there was no copy.
   */
  readonly origin: 'existing' | 'new' | 'restored' | 'lost';
  /** What a person must hear about it. */
  readonly alarms: readonly string[];
  /** Stored changes are missing: what a person must acknowledge. It is one of the alarms, or all of them. */
  readonly loss?: string | undefined;
  /** It is other than the service left it. */
  readonly isOther?: boolean;
  /** Why it can only be read for the time being, and must be opened anew once that is over. */
  readonly trouble?: string | undefined;
}

/** What the folder says about the database before it is opened. */
interface Expected {
  readonly dataDir: string;
  readonly path: string;
  readonly nowMs: number;
  readonly mark: FoundMark;
  /** There was a database with tables: there are copies of it, or its last change is known. */
  readonly hasTables: boolean;
  /** The file is other than the service left it. */
  readonly isOther: boolean;
  /** The last changes were in the write-ahead log, not in the file: the service did not end by itself. */
  readonly neededLog: boolean;
}

export const databaseFile = (dataDir: string): string => join(dataDir, 'sluice.db');
const suspectFile = (dataDir: string): string => join(dataDir, 'sluice.db.suspect');

export const openDatabaseFile = (dataDir: string, nowMs: number): Opened => {
  const path = databaseFile(dataDir);
  const mark = readMark(dataDir);
  const hasTables = mark.state !== 'missing' || listCopies(dataDir).length > 0;
  const isOther = isSealViolated(path);
  const neededLog = hasLog(path) || !hasSeal(path);
  const expected = { dataDir, path, nowMs, mark, hasTables, isOther, neededLog };
  // A file without a byte, or none, is one that was never begun; or, where there was a database, one that was
  // lost, perhaps by an end in the middle of mending.
  const existed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  // SQLite may move what an end by force has left in the log whenever the file is closed.
  if (hasLog(path) && !expected.isOther) dropSeal(path);
  const attempt = !existed && hasTables ? missing : openExpected(expected);
  const opened = attempt.ok ? inUse(attempt, expected, existed) : restored(attempt, expected);
  rmSync(suspectFile(dataDir), { force: true });
  return opened;
};

/** Says that the file must be checked deeply when it is opened next. */
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
  /** To be called once the file is put aside: SQLite deletes the log of a file that it closes. */
  readonly close: () => void;
}

const missing: Failure = { ok: false, problem: 'the file is missing or empty', close: () => undefined };

function openExpected(expected: Expected): Attempt {
  const attempt = openAnyhow(expected.path, existsSync(suspectFile(expected.dataDir)) ? 'deep' : 'cheap');
  if (!attempt.ok) return attempt;
  const { database, facts } = attempt;
  const problem = unexpected(expected, facts) ?? staleProblem(expected, attempt);
  return problem === undefined ? attempt : { ok: false, problem, close: () => database.close() };
}

const unexpected = ({ hasTables }: Expected, { tables }: FileFacts): string | undefined =>
  tables === 0 && hasTables ? 'it has no tables, although it had some' : undefined;

/**
 * A file that lacks changes is checked deeply: pages of different age may be mixed in it. Where the service
 * did not end by itself, it is no backup that somebody restored: the log is damaged or lost, and a copy that
 * has more is better.
 */
function staleProblem(expected: Expected, { database, facts }: Success): string | undefined {
  const { dataDir, mark, isOther, neededLog } = expected;
  const count = missingChanges(mark, facts);
  if (count === 0 && !isOther) return undefined;
  if (count > 0 && neededLog && lastChangeInCopy(dataDir) > facts.lastChange)
    return `its write-ahead log is damaged or lost, and the last ${changes(count)} cannot be read`;
  return deepProblem(database, 'integrity_check');
}

/** Of the copy that would be restored. */
function lastChangeInCopy(dataDir: string): number {
  for (const { path } of listCopies(dataDir)) {
    const facts = copyFacts(path, true);
    if (facts !== undefined) return facts.lastChange;
  }
  return 0;
}

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

const missingChanges = (mark: FoundMark, { lastChange }: FileFacts): number =>
  mark.state === 'known' ? Math.max(0, mark.last - lastChange) : 0;

function inUse({ database, facts, trouble }: Success, expected: Expected, existed: boolean): Opened {
  const { path, mark } = expected;
  const alarms = trouble === undefined ? [] : [noRoom(path, trouble)];
  if (mark.state === 'unreadable' || (mark.state === 'missing' && facts.hadMark))
    alarms.push(noMark(expected));
  const origin = existed ? 'existing' : 'new';
  if (missingChanges(mark, facts) === 0 && !expected.isOther) return { database, origin, alarms, trouble };
  const loss = missingChanges(mark, facts) === 0 ? otherBytes(expected) : shortened(expected, facts);
  return { database, origin, alarms: [...alarms, loss], trouble, loss, isOther: expected.isOther };
}

const noMark = ({ dataDir, mark }: Expected): string =>
  `The number of the last change, ${markFile(dataDir)}, is ${mark.state}: whether changes were lost before ` +
  'this start cannot be told. It is written anew.';

/** Sound, but older than it was: nobody but a person can know whether that is as it should be. */
function shortened(expected: Expected, facts: FileFacts): string {
  const { path, mark } = expected;
  const count = missingChanges(mark, facts);
  return (
    `${changes(count)} ${count === 1 ? 'is' : 'are'} missing from the database ${path}: its last one is ` +
    `number ${facts.lastChange}, and number ${facts.lastChange + count} was stored. Its write-ahead log ` +
    `was damaged or lost, or an older file took its place.${keepFound(expected)} If you restored an older ` +
    'backup on purpose, delete this message. If not, make the changes again, or restore a copy ' +
    '(docs/operating.md).'
  );
}

/** No change is missing, and no table is damaged; a byte of what is stored may be. */
const otherBytes = ({ path }: Expected): string =>
  `The database ${path} is not as it was stored: its checksum is another. If you changed or restored it on ` +
  'purpose, delete this message. If not, the disk has damaged it: look whether rules and settings are ' +
  'right, or restore a copy (docs/operating.md), and do not trust this disk.';

const changes = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);

/** The first write will overwrite what SQLite did not take from the log. */
function keepFound({ path, nowMs }: Expected): string {
  if (!hasLog(path)) return '';
  const kept = stamped(path, 'shortened', nowMs);
  try {
    copyFileSync(path, kept);
    copyFileSync(`${path}-wal`, `${kept}-wal`);
    return ` Both files were kept as ${kept} and ${kept}-wal.`;
  } catch {
    return ' There is no room to keep the files as they were found.';
  }
}

function restored(failure: Failure, expected: Expected): Opened {
  const { path, nowMs, dataDir, mark } = expected;
  const asidePath = putAside(path, nowMs);
  dropSeal(path);
  failure.close();
  const kept = asidePath === undefined ? '' : ` It was put aside as ${asidePath}.`;
  const alarm = `The database ${path} is broken: ${failure.problem}.${kept}`;
  const { database, origin, said, lastChange } = restoreNewestCopy(dataDir, alarm);
  const missed = mark.state === 'known' && mark.last > lastChange ? mark.last - lastChange : undefined;
  const count = missed === undefined ? '' : ` Missing: ${changes(missed)}.`;
  const alarms = [alarm, `${said}${count}`];
  return { database, origin, alarms, loss: alarms.join(' ') };
}

interface Replacement {
  readonly database: DatabaseSync;
  readonly origin: 'restored' | 'lost';
  readonly said: string;
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
      const said = `The copy of ${copy.date} was restored; what was changed after it is lost.`;
      return { database, origin: 'restored', said, lastChange: facts.lastChange };
    }
  }
  const said = 'There is no good copy: the service starts with an empty database and a new password.';
  const attempt = tryOpen(path, 'cheap');
  if (!attempt.ok) throw new Error(`${alarm} A new one cannot be made: ${attempt.problem}.`);
  return { database: attempt.database, origin: 'lost', said, lastChange: 0 };
}

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
  const close = (): void => database?.close();
  try {
    database = new DatabaseSync(path, { timeout: 2_000 });
    database.exec(first);
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    database.exec(`${noOwnCheckpoints}; ${overwriteDeleted}`);
    // Reading the schema touches the header and the first page: enough to know a file that is no database.
    const facts = factsOf(database);
    const problem = depth === 'deep' ? deepProblem(database) : undefined;
    return problem === undefined ? { ok: true, database, facts } : { ok: false, problem, close };
  } catch (error) {
    // A full disk or missing rights are no reason to put a good file aside.
    if (databaseTrouble(error) === 'damaged') return { ok: false, problem: troubleText(error), close };
    close();
    throw error;
  }
};

const stamped = (path: string, what: string, nowMs: number): string =>
  `${path}.${what}-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;

/** Where the database file is now; undefined when only its log was left, or nothing. */
function putAside(path: string, nowMs: number): string | undefined {
  const asidePath = stamped(path, 'broken', nowMs);
  const found = ['-wal', '-shm', ''].filter((suffix) => existsSync(path + suffix));
  for (const suffix of found) renameSync(path + suffix, asidePath + suffix);
  syncFolder(dirname(path));
  return found.includes('') ? asidePath : undefined;
}
