// Why storage refused an operation, as a value, so that code outside the store depends neither on the kind of
// database nor on its error codes. Any other error of a database is a bug.

import { databaseTrouble, troubleText } from '#platform/sqlite';

/**
 * `unavailable`: the database cannot be reached, or the disk reports an error. `full`: the disk is full.
 * `readonly`: writing is not permitted. `damaged`: stored data cannot be read, and a retry does not help.
 * `conflict`: another program has locked the database. `busy`: too many changes are waiting. All except
 * `damaged` are temporary.
 */
type StorageTrouble = 'unavailable' | 'full' | 'readonly' | 'damaged' | 'conflict' | 'busy';

export interface StorageRefusal {
  readonly trouble: StorageTrouble;
  /** The explanation for users. */
  readonly problem: string;
}

/** Undefined when the error is a bug. */
export function refusalOf(error: unknown): StorageRefusal | undefined {
  const trouble = databaseTrouble(error);
  return trouble === undefined ? undefined : { trouble, problem: troubleText(error) };
}

/** Runs a write that does not go through `change`; true when it is on the disk. */
export async function isWritten(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return false;
  }
}
