// Why storage did not do what was asked, as a value: nothing outside of the store knows which database it is,
// or the codes of its errors. Everything else that a database throws is a bug.

import { databaseTrouble, troubleText } from '#platform/sqlite';

/**
 * `unavailable`: it cannot be reached, or the disk reports an error. `full`: there is no space. `readonly`:
 * it may not be written. `damaged`: what is stored cannot be read; waiting does not help. `conflict`: another
 * program holds it. `busy`: too many changes wait already. All but `damaged` may be over at the next attempt.
 */
type StorageTrouble = 'unavailable' | 'full' | 'readonly' | 'damaged' | 'conflict' | 'busy';

export interface StorageRefusal {
  readonly trouble: StorageTrouble;
  /** For people. */
  readonly problem: string;
}

/** Nothing for an error that is a bug. */
export function refusalOf(error: unknown): StorageRefusal | undefined {
  const trouble = databaseTrouble(error);
  return trouble === undefined ? undefined : { trouble, problem: troubleText(error) };
}

/** Whether a write beside `change` is on the disk. */
export async function isWritten(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return false;
  }
}
