// Temporary data folders, one for each service. The path is short, because the control socket lies in it and
// the path of a Unix socket has at most 107 bytes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { atEnd } from './leftovers.ts';

/** A new empty folder, removed when this process ends. */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  atEnd(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
};
