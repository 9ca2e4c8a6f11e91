// What storage refuses, in the words of the API: too many changes at once, or a database that cannot be used
// now.

import { fail, type Failure, type WriteFailure } from '#contract';
import { refusalOf, type StorageRefusal } from './storage-trouble.ts';

export const writeFailure = ({ trouble, problem }: StorageRefusal): Failure<WriteFailure> =>
  fail(trouble === 'busy' ? 'tooManyRequests' : 'databaseAway', problem);

/** The same for what a read has thrown; nothing for an error that is a bug. */
export function storageFailure(error: unknown): Failure<WriteFailure> | undefined {
  const refusal = refusalOf(error);
  return refusal === undefined ? undefined : writeFailure(refusal);
}
