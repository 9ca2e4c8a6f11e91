// Files that replace others in one step and are on the disk when that is said: the content first, then the
// name, then the folder that holds the name.

import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export function replaceDurably(path: string, bytes: Uint8Array): void {
  const draft = `${path}.making`;
  writeFileSync(draft, bytes, { mode: 0o600, flush: true });
  renameSync(draft, path);
  syncFolder(dirname(path));
}

export function copyDurably(from: string, to: string): void {
  const draft = `${to}.restoring`;
  copyFileSync(from, draft);
  sync(draft, 'r+');
  renameSync(draft, to);
  syncFolder(dirname(to));
}

/** Not every file system lets a folder be synchronised; then its names are written when it likes to. */
export function syncFolder(path: string): void {
  try {
    sync(path, 'r');
  } catch {}
}

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
