// Copies a file in one step, and returns only when it is on the disk: first the content, then the name, then
// the folder that contains the name.

import { closeSync, copyFileSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

export function copyDurably(from: string, to: string): void {
  const draft = `${to}.restoring`;
  copyFileSync(from, draft);
  sync(draft, 'r+');
  renameSync(draft, to);
  syncFolder(dirname(to));
}

/** Some file systems cannot sync a folder; they write its names later. */
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
