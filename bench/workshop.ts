// The one temporary folder of a run, in which everything is made that a case needs, and which goes with it.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let workshop: string | undefined;
let last = 0;

/** A new folder. The path is short: a Unix socket lies in it, whose path has 107 bytes at most. */
export function newFolder(name: string): string {
  workshop ??= mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const path = join(workshop, `${name}-${++last}`);
  mkdirSync(path);
  return path;
}

export function removeWorkshop(): void {
  if (workshop !== undefined) rmSync(workshop, { recursive: true, force: true });
}
