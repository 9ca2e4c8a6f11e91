// Reads the snapshot file. The compile thread writes it; main reads it at the start, so that the first answer
// is already filtered. Main does not check its content: the dns workers do. The previous snapshot is kept as
// a fallback: when the newest file is damaged, only the latest changes are lost, not all blocking.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

export function snapshotFile(dataDir: string): string {
  return join(dataDir, 'snapshot.bin');
}

export function previousSnapshotFile(snapshotPath: string): string {
  return `${snapshotPath}.previous`;
}

/** Larger than any real snapshot. */
const maxBytes = 2 ** 30;

/** The newest snapshot that can be read. */
export function readSnapshotFile(dataDir: string): SharedArrayBuffer | undefined {
  return tryToRead(snapshotFile(dataDir)) ?? readPreviousSnapshot(dataDir);
}

/** The fallback for a damaged newest snapshot. */
export function readPreviousSnapshot(dataDir: string): SharedArrayBuffer | undefined {
  return tryToRead(previousSnapshotFile(snapshotFile(dataDir)));
}

function tryToRead(path: string): SharedArrayBuffer | undefined {
  try {
    return readWhole(path);
  } catch {
    return undefined;
  }
}

function readWhole(path: string): SharedArrayBuffer | undefined {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size === 0 || size > maxBytes) return undefined;
    // A later compilation may reuse this memory and need more.
    const memory = new SharedArrayBuffer(size, { maxByteLength: maxBytes });
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
}
