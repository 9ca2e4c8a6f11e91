// Translates what storage refuses into failures of the API: too many changes at once, or a database that is
// unavailable.

import { fail, type Failure, type WriteFailure } from '#contract';
import { isSqliteError } from '#platform/sqlite';
import { errorText } from '#platform/tasks';
import { refusalOf, type StorageRefusal } from './storage-trouble.ts';

export const writeFailure = ({ trouble, problem }: StorageRefusal): Failure<WriteFailure> =>
  fail(trouble === 'busy' ? 'tooManyRequests' : 'databaseAway', problem);

/** The same for an error that a read has thrown; undefined when the error is a bug. */
export function storageFailure(error: unknown): Failure<WriteFailure> | undefined {
  const refusal = refusalOf(error);
  return refusal === undefined ? undefined : writeFailure(refusal);
}

/** Why the database refused a statement, for any other error of it; undefined for errors of other code. */
export function databaseReason(error: unknown): string | undefined {
  return isSqliteError(error) ? errorText(error) : undefined;
}
