// Replaces the bundle. The new one is built in a folder beside it and then renamed, so an interrupted build
// leaves the old bundle or none, but never half of one. Two starts may build at the same time. The build that
// ends last keeps the other's bundle if it was made from the same sources, because a program may be loading
// it.

import { randomUUID } from 'node:crypto';
import { globSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { readSources, stampOf, writeStamp } from './stamp.ts';

/** Another build may install its bundle between the two renames. */
const TRIES = 10;
/** Much longer than a build, which takes seconds. */
const ABANDONED_MS = 3_600_000;

export async function replaceBundle(folder: string, build: (folder: string) => Promise<void>): Promise<void> {
  removeLeftovers(folder);
  const [before, sources] = [stampOf(folder), readSources()];
  const draft = folderBeside(folder, 'new');
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
  const old = folderBeside(folder, 'old');
  for (let tries = 0; tries < TRIES; tries++) {
    const isMoved = tryRename(folder, old, ['ENOENT']);
    const isPlaced = tryRename(draft, folder, ['ENOTEMPTY', 'EEXIST']);
    if (isMoved && !tryRemove(old))
      console.error(
        `build: ${old} cannot be removed, because it belongs to another user. It is no longer needed.`,
      );
    if (isPlaced) return;
  }
  throw new Error(`${folder} could not be replaced: other builds replaced it ${TRIES} times. Build again.`);
}

/** False if it failed with one of the expected errors. */
function tryRename(from: string, to: string, expected: readonly string[]): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && expected.includes(String(error.code))) return false;
    throw error;
  }
}

function prefixOf(folder: string): string {
  return `.${basename(folder)}-`;
}

/** A unique name: process ids repeat, and containers may share a checkout. */
function folderBeside(folder: string, what: 'new' | 'old'): string {
  return join(dirname(folder), `${prefixOf(folder)}${what}-${randomUUID()}`);
}

/** Removes folders of killed builds. A folder that cannot be removed does not stop the build. */
export function removeLeftovers(folder: string): void {
  const place = dirname(folder);
  const names = globSync(`${prefixOf(folder)}{new,old}-*`, { cwd: place });
  for (const path of names.map((name) => join(place, name)))
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > ABANDONED_MS)
      tryRemove(path);
}

/** False if it belongs to another user, for example if root has built the last bundle. */
function tryRemove(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
