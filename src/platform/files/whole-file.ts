// Files that are either whole or not there: written beside their place, brought to the disk, and only then
// given their name. Whatever ends the program in between leaves the old file and a draft, which the next
// cleaning takes away. A disk that is full leaves no draft: it would hold the last room that there was.

import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

export const draftEnding = '.making';

/**
 * Of one call. A kernel that does not interrupt its own work (PREEMPT_NONE, as on most servers) copies
 * megabytes in turns of 0.4 ms, in which no query is answered on that core, whoever goes first there.
 */
const pieceBytes = 65_536;

/**
 * Shared memory is written as it lies. Throws when the disk does not take it. `makeWay` is called when the
 * draft is on the disk, before it takes the place of the old file.
 */
export function writeWhole(path: string, bytes: Uint8Array, makeWay: () => void = () => undefined): void {
  const draft = `${path}${draftEnding}`;
  try {
    writeDurably(draft, bytes);
    makeWay();
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length;)
      at += writeSync(descriptor, bytes, at, Math.min(pieceBytes, bytes.length - at));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function writeWholeJson(path: string, value: unknown): void {
  writeWhole(path, Buffer.from(`${JSON.stringify(value)}\n`));
}

/** Nothing when there is none, or it is too large, or no JSON. */
export function readJson(path: string, bytesMax: number): unknown {
  try {
    if (statSync(path).size > bytesMax) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
