// What people are shown of the stored copies of a list: when each came, how large it is, and which one is in
// force.

import type { CopyDescription } from '../copies/copy-description.ts';
import type { ListCopies } from '../copies/list-copies.ts';
import { readBuildRecord } from '../snapshot/snapshot-file.ts';
import type { Suspicion } from '../copies/suspicion.ts';

export interface StoredCopy extends CopyDescription {
  readonly isInForce: boolean;
  /** Entries that it has more than once, which is counted when it is put in force. */
  readonly duplicates: number | undefined;
}

export interface StoredCopies {
  /** Newest first. */
  readonly copies: readonly StoredCopy[];
  /** The newest one has changed so much that a person is asked. */
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
