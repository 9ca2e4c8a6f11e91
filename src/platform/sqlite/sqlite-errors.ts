// What went wrong in SQLite, told by its result code (https://sqlite.org/rescode.html). A full disk or a file
// that cannot be read are expected failures of the world around us; anything else that SQLite throws is a bug
// of ours.

export type DatabaseTrouble = 'away' | 'broken';

const away = new Map([
  [5, 'another program holds the database'],
  [6, 'the database is locked'],
  [8, 'the database may not be written'],
  [10, 'the disk reports an error'],
  [13, 'the disk is full'],
  [14, 'the database file cannot be opened'],
]);
const broken = new Map([
  [11, 'the database file is damaged'],
  [26, 'the database file is not a database'],
]);

/** The primary result code is the low byte of the extended one. */
const primaryCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : -1;

export const isSqliteError = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';

export const databaseTrouble = (error: unknown): DatabaseTrouble | undefined => {
  const code = primaryCode(error);
  if (away.has(code)) return 'away';
  return broken.has(code) ? 'broken' : undefined;
};

/** Another program writes, or keeps others from it. */
export const isHeldByOthers = (error: unknown): boolean => primaryCode(error) === 5;

/** The disk is full, or says no more than that something failed. */
export const isDiskTrouble = (error: unknown): boolean => [10, 13].includes(primaryCode(error));

/** Of a file that we write ourselves. */
const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

export const troubleText = (error: unknown): string => {
  const code = isFullDisk(error) ? 13 : primaryCode(error);
  const detail = error instanceof Error ? error.message : String(error);
  return `${away.get(code) ?? broken.get(code) ?? 'the database failed'} (${detail})`;
};
