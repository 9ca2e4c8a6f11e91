// The compiled lists on the disk: written by whoever compiles, read by main at the start, so that the first
// answer is filtered before any list is read again. Main does not look into it: the workers check it. The
// snapshot before it is kept, too: one that is damaged costs what changed since, and not all blocking.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

export const snapshotFile = (dataDir: string): string => join(dataDir, 'snapshot.bin');

export const previousSnapshotFile = (snapshotPath: string): string => `${snapshotPath}.previous`;

/** More than any list of lists makes. */
const largestBytes = 2 ** 30;

/** The newest that can be read; nothing when there is none. */
export const readSnapshotFile = (dataDir: string): SharedArrayBuffer | undefined =>
  tryToRead(snapshotFile(dataDir)) ?? readPreviousSnapshot(dataDir);

/** For whoever finds the newest one damaged. */
export const readPreviousSnapshot = (dataDir: string): SharedArrayBuffer | undefined =>
  tryToRead(previousSnapshotFile(snapshotFile(dataDir)));

function tryToRead(path: string): SharedArrayBuffer | undefined {
  try {
    return readWhole(path);
  } catch {
    return undefined;
  }
}

const readWhole = (path: string): SharedArrayBuffer | undefined => {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size === 0 || size > largestBytes) return undefined;
    // It may be filled again by a later compilation, and grow.
    const memory = new SharedArrayBuffer(size, { maxByteLength: largestBytes });
    const bytes = new Uint8Array(memory);
    for (let at = 0; at < size;) {
      const read = readSync(fd, bytes, at, size - at, at);
      if (read === 0) return undefined;
      at += read;
    }
    return memory;
  } finally {
    closeSync(fd);
  }
};
