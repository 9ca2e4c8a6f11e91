// Keeps a worker's cache in a file between two processes. Written when the worker stops, read when one
// starts; a file that cannot be read means an empty cache and nothing worse.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '#platform/files';
import { errorText } from '#platform/tasks';

function fileOf(dataDir: string, index: number): string {
  return join(dataDir, `cache-${index + 1}.bin`);
}

/**
 * Undefined when there is none, or none that can be read and removed: a crash over it must not repeat itself.
 */
export function readAndRemoveCacheFile(dataDir: string, index: number): Uint8Array | undefined {
  const path = fileOf(dataDir, index);
  try {
    const bytes = readFileSync(path);
    rmSync(path);
    return bytes;
  } catch {
    return undefined;
  }
}

/** The reason when it could not be written; a full disk is no reason to hold up a stop. */
export function writeCacheFile(dataDir: string, index: number, bytes: Uint8Array): string | undefined {
  try {
    // Not synced: a stop must not wait for the disk, and a damaged file only means an empty cache.
    writeWhole(fileOf(dataDir, index), bytes, { synced: 'nothing' });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
