// Classifies SQLite errors by their result code (https://sqlite.org/rescode.html). A full disk or an
// unreadable file is an expected failure; any other error that SQLite throws is a bug.

import { errorText } from '../tasks/error-text.ts';

/**
 * `conflict`: another program writes, or holds a lock; a later attempt may succeed. `unavailable`: the disk
 * reports an error, or the file cannot be opened.
 */
export type DatabaseTrouble = 'unavailable' | 'full' | 'readonly' | 'damaged' | 'conflict';

interface Meaning {
  readonly trouble: DatabaseTrouble;
  readonly text: string;
}

const fullCode = 13;
const meanings: ReadonlyMap<number, Meaning> = new Map([
  [5, { trouble: 'conflict', text: 'another program holds the database' }],
  [6, { trouble: 'conflict', text: 'the database is locked' }],
  [8, { trouble: 'readonly', text: 'the database is not writable' }],
  [10, { trouble: 'unavailable', text: 'the disk reports an error' }],
  [11, { trouble: 'damaged', text: 'the database file is damaged' }],
  [fullCode, { trouble: 'full', text: 'the disk is full' }],
  [14, { trouble: 'unavailable', text: 'the database file cannot be opened' }],
  [26, { trouble: 'damaged', text: 'the database file is not a database' }],
]);

/** The primary result code is the low byte of the extended one. */
function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : -1;
}

export function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  return meanings.get(primaryCode(error))?.trouble;
}

/** Another program writes or has locked the database. */
export function isHeldByOthers(error: unknown): boolean {
  return primaryCode(error) === 5;
}

/** The disk is full, or reports an unspecified error. */
export function isDiskTrouble(error: unknown): boolean {
  return [10, fullCode].includes(primaryCode(error));
}

/** For a file that this program writes without SQLite. */
function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

export function troubleText(error: unknown): string {
  const code = isFullDisk(error) ? fullCode : primaryCode(error);
  const detail = errorText(error);
  return `${meanings.get(code)?.text ?? 'the database failed'} (${detail})`;
}
