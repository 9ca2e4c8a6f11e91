// Classifies SQLite errors by their result code (https://sqlite.org/rescode.html). A full disk or an
// unreadable file is an expected failure; any other error that SQLite throws is a bug.

export type DatabaseTrouble = 'away' | 'broken';

const away = new Map([
  [5, 'another program holds the database'],
  [6, 'the database is locked'],
  [8, 'the database is not writable'],
  [10, 'the disk reports an error'],
  [13, 'the disk is full'],
  [14, 'the database file cannot be opened'],
]);
const broken = new Map([
  [11, 'the database file is damaged'],
  [26, 'the database file is not a database'],
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
  const code = primaryCode(error);
  if (away.has(code)) return 'away';
  return broken.has(code) ? 'broken' : undefined;
}

/** Another program writes or has locked the database. */
export function isHeldByOthers(error: unknown): boolean {
  return primaryCode(error) === 5;
}

/** The disk is full, or reports an unspecified error. */
export function isDiskTrouble(error: unknown): boolean {
  return [10, 13].includes(primaryCode(error));
}

/** For a file that this program writes without SQLite. */
function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

export function troubleText(error: unknown): string {
  const code = isFullDisk(error) ? 13 : primaryCode(error);
  const detail = error instanceof Error ? error.message : String(error);
  return `${away.get(code) ?? broken.get(code) ?? 'the database failed'} (${detail})`;
}
