// The stamp of a bundle, `built-from`: a checksum of the sources, with the start time of the build as its
// file time. The launcher of a checkout compares it with the sources before every start
// (tools/build/checkout.sh). The same script computes the checksum here, so the two always agree.

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../run.ts';

const FILE = 'built-from';
const SCRIPT = 'root=$1; . "$root/tools/build/checkout.sh"; sources_checksum';

/** The sources at the time `readMs`. */
export type Sources = { readonly checksum: string; readonly readMs: number };

export function readSources(): Sources {
  const readMs = Date.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', SCRIPT, 'sh', ROOT], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The checksum of the sources cannot be computed: ${stderr}`);
  return { checksum: stdout, readMs };
}

export function writeStamp(folder: string, { checksum, readMs }: Sources): void {
  const path = join(folder, FILE);
  writeFileSync(path, checksum);
  utimesSync(path, readMs / 1000, readMs / 1000);
}

/** Identifies a bundle and its sources; undefined if there is none. */
export function stampOf(folder: string): { readonly inode: number; readonly checksum: string } | undefined {
  try {
    const path = join(folder, FILE);
    return { inode: statSync(path).ino, checksum: readFileSync(path, 'utf8') };
  } catch {
    return undefined;
  }
}
