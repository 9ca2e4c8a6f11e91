// Replaces files in one step, and returns only when they are on the disk: first the content, then the name,
// then the folder that contains the name.

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
