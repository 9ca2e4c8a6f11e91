// Checks whether a database that was opened read-only on a full disk can be opened for writing again. The
// write-ahead log and its index need some space at once. If the disk had space for a small write only, the
// api thread would restart and find the same full disk again. The check writes a file, because the free space
// that statfs(2) reports ignores quotas. The file is unlinked at once, so that a crash leaves nothing behind.

import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The index of the write-ahead log takes 32 KiB, one change rarely more than a few pages of 4 KiB. */
const neededBytes = 256 * 1024;

/** Throws the error of the file system when there is not enough space. */
export function requireSpaceToReopen(dataDir: string): void {
  const path = join(dataDir, `space-${process.pid}.tmp`);
  const descriptor = openSync(path, 'w', 0o600);
  try {
    unlinkSync(path);
    const block = Buffer.alloc(neededBytes);
    for (let written = 0; written < neededBytes;) written += writeSync(descriptor, block, written);
  } finally {
    closeSync(descriptor);
  }
}
