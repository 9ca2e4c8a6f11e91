// The temporary folder of a run. It contains all files of the cases and is deleted at the end.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let workshop: string | undefined;
let last = 0;

/** A new folder. The path is short, because it contains a Unix socket, whose path has at most 107 bytes. */
export function newFolder(name: string): string {
  workshop ??= mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const path = join(workshop, `${name}-${++last}`);
  mkdirSync(path);
  return path;
}

export function removeWorkshop(): void {
  if (workshop !== undefined) rmSync(workshop, { recursive: true, force: true });
}
