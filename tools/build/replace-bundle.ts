// Puts a whole new bundle in the place of the old one. It is built in a folder beside it and then renamed,
// so a build that is interrupted leaves the old bundle, or none, but never half of one. Two builds may run at
// the same time, since two starts may find the same old bundle; the one that ends last leaves the other's in
// place when it was made of the same sources, because a program may be loading it.

import { randomUUID } from 'node:crypto';
import { globSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { lookAtSources, stampOf, writeStamp } from './stamp.ts';

/** Another build may put its own bundle there between the two renames. */
const TRIES = 10;
/** A build takes seconds. */
const ABANDONED_MS = 3_600_000;

export async function replaceBundle(folder: string, build: (folder: string) => Promise<void>): Promise<void> {
  removeLeftovers(folder);
  const [before, sources] = [stampOf(folder), lookAtSources()];
  const draft = besides(folder, 'new');
  try {
    await build(draft);
    writeStamp(draft, sources);
    const now = stampOf(folder);
    const isDone = now !== undefined && now.inode !== before?.inode && now.checksum === sources.checksum;
    if (!isDone) swap(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function swap(draft: string, folder: string): void {
  const old = besides(folder, 'old');
  for (let tries = 0; tries < TRIES; tries++) {
    const isMoved = moves(folder, old, ['ENOENT']);
    const isPlaced = moves(draft, folder, ['ENOTEMPTY', 'EEXIST']);
    if (isMoved && !isRemoved(old))
      console.error(`build: ${old} belongs to another user and stays; it is not needed any more.`);
    if (isPlaced) return;
  }
  throw new Error(`${folder} could not be replaced: other builds replaced it ${TRIES} times. Build again.`);
}

/** False when it failed in one of the expected ways. */
function moves(from: string, to: string, expected: readonly string[]): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && expected.includes(String(error.code))) return false;
    throw error;
  }
}

const prefixOf = (folder: string): string => `.${basename(folder)}-`;

/** A new name each time: process numbers repeat, and containers may share a checkout. */
function besides(folder: string, what: 'new' | 'old'): string {
  return join(dirname(folder), `${prefixOf(folder)}${what}-${randomUUID()}`);
}

/** Of builds that were killed. Who may not remove one can build all the same. */
export function removeLeftovers(folder: string): void {
  const place = dirname(folder);
  const names = globSync(`${prefixOf(folder)}{new,old}-*`, { cwd: place });
  for (const path of names.map((name) => join(place, name)))
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > ABANDONED_MS)
      isRemoved(path);
}

/** False when it is another user's: another user may have built the last bundle, root for example. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
