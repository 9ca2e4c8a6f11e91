// A data folder in memory, where the system has /dev/shm. A login waits for the disk, and tests of its speed
// must not measure other programs' use of the disk.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryFolder } from '../../running/folder.ts';
import { atEnd } from '../../running/leftovers.ts';

const inMemory = '/dev/shm';

/** Removed when this process ends. */
export const memoryFolder = (): string => {
  if (!existsSync(inMemory)) return temporaryFolder();
  const path = mkdtempSync(join(inMemory, 'sluice-test-'));
  atEnd(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
};
