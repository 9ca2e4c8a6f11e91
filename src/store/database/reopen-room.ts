// Whether a database that was opened on a full disk can be opened in the usual way. The write-ahead log and
// its index need some room at once: a few bytes that a small write still finds are not enough, and a thread
// that is replaced for them meets the same full disk again. A file is written because free space that
// statfs(2) reports says nothing about quotas; it has no name, so that a crash leaves nothing behind.

import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The index of the write-ahead log takes 32 KiB, one change rarely more than a few pages of 4 KiB. */
const neededBytes = 256 * 1024;

/** Throws what the disk reports when there is not enough room. */
export function requireRoomToReopen(dataDir: string): void {
  const path = join(dataDir, `room-${process.pid}.tmp`);
  const descriptor = openSync(path, 'w', 0o600);
  try {
    unlinkSync(path);
    const block = Buffer.alloc(neededBytes);
    for (let written = 0; written < neededBytes;) written += writeSync(descriptor, block, written);
  } finally {
    closeSync(descriptor);
  }
}
