// Files that are complete or do not exist: written under another name, synced to the disk, and only then
// renamed. A program that is killed in between leaves the old file and a draft, which the next cleanup
// removes. A full disk leaves no draft, because that would occupy the last free space.

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
 * Bytes per write. A kernel that does not preempt its own work (PREEMPT_NONE, as on most servers) copies
 * megabytes in turns of 0.4 ms, in which no query is answered on that core, whatever the priority of the dns
 * worker.
 */
const pieceBytes = 65_536;

/**
 * Shared memory is written without a copy. Throws when the disk fails. `makeWay` is called when the draft is
 * on the disk, before it replaces the old file.
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

/** Undefined when the file does not exist, is too large, or is not JSON. */
export function readJson(path: string, maxBytes: number): unknown {
  try {
    if (statSync(path).size > maxBytes) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
