// The stored copies of a list as the API shows them: when each was fetched, its size, and which one is in
// force.

import type { CopyDescription } from '../copies/copy-description.ts';
import type { ListCopies } from '../copies/list-copies.ts';
import { readBuildRecord } from '../snapshot/snapshot-file.ts';
import type { Suspicion } from '../copies/suspicion.ts';

export interface StoredCopy extends CopyDescription {
  readonly isInForce: boolean;
  /** Duplicate entries; known only for the copy in force, because compiling counts them. */
  readonly duplicates: number | undefined;
}

export interface StoredCopies {
  /** Newest first. */
  readonly copies: readonly StoredCopy[];
  /** Set when the newest copy waits for a person to accept its change. */
  readonly held: Suspicion | undefined;
}

export function storedCopies(
  copies: ListCopies,
  snapshotPath: string,
  listId: number,
  held: Suspicion | undefined,
): StoredCopies {
  const built = readBuildRecord(snapshotPath)?.lists.find(({ id }) => id === listId);
  const shown = (copy: CopyDescription): StoredCopy => {
    const isInForce = copy.version === built?.version;
    return { ...copy, isInForce, duplicates: isInForce ? built.duplicates : undefined };
  };
  return { copies: copies.all(listId).map(shown), held };
}
