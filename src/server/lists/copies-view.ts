// What people are shown of the stored copies of a list: when each came, how large it is, and which one is in
// force.

import type { CopyDescription } from './copy-description.ts';
import type { ListCopies } from './list-copies.ts';
import { readBuildRecord } from './snapshot-file.ts';
import type { Suspicion } from './suspicion.ts';

export interface StoredCopies {
  /** Newest first. */
  readonly copies: readonly (CopyDescription & { readonly isInForce: boolean })[];
  /** The newest one has changed so much that a person is asked. */
  readonly held: Suspicion | undefined;
}

export function storedCopies(
  copies: ListCopies,
  snapshotPath: string,
  listId: number,
  held: Suspicion | undefined,
): StoredCopies {
  const inForce = readBuildRecord(snapshotPath)?.lists.find(({ id }) => id === listId)?.version;
  return {
    copies: copies.all(listId).map((copy) => ({ ...copy, isInForce: copy.version === inForce })),
    held,
  };
}
