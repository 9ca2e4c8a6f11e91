// A small file system that a test can fill to the last byte. Mounting it needs root; without root, tests that
// use it are skipped (`needsRoot`).

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

/** The value of a test's option `skip`. */
export const needsRoot = mayMount ? false : 'mounting a small file system needs root';

export interface SmallDisk {
  readonly dir: string;
  /** Safe to call twice. */
  readonly unmount: () => void;
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'sluice-test', dir]);
  return {
    dir,
    unmount: () => {
      spawnSync('umount', ['-l', dir]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Fills the disk of this folder completely. Returns the file that takes the space. */
export function fillDisk(dir: string): string {
  const path = join(dir, 'filler');
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) while (append(path, size));
  return path;
}

function append(path: string, count: number): boolean {
  try {
    writeFileSync(path, Buffer.alloc(count), { flag: 'a' });
    return true;
  } catch {
    return false;
  }
}
