// Files that are complete or do not exist: written under another name and then renamed. A program that is
// killed in between leaves the old file and a draft, which the next write or cleanup removes. A full disk
// leaves no draft, because that would occupy the last free space. Only certificates (tls/files.ts) and the
// seals of databases have their own writers, because they wait for the disk without blocking a thread.

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
import { dirname } from 'node:path';
import { syncFolder } from './durable-file.ts';

export const draftEnding = '.making';

/**
 * Bytes per write. A kernel that does not preempt its own work (PREEMPT_NONE, as on most servers) copies
 * megabytes in turns of 0.4 ms, in which no query is answered on that core, whatever the priority of the dns
 * worker.
 */
const pieceBytes = 65_536;

/**
 * What survives a power failure. `nothing`: the file may then be empty, so its readers have to detect that.
 * `content`: the old file or the new one. `name`: the new one.
 */
type Synced = 'nothing' | 'content' | 'name';

export interface WholeFileOptions {
  /** `content` unless given. */
  readonly synced?: Synced;
  /** 0o600 unless given. */
  readonly mode?: number;
  /** Called when the draft is complete, before it replaces the old file. */
  readonly makeWay?: () => void;
}

/** Shared memory is written without a copy. Throws when the disk fails; the old file is intact then. */
export function writeWhole(path: string, bytes: Uint8Array, options: WholeFileOptions = {}): void {
  const { synced = 'content', mode = 0o600, makeWay } = options;
  const draft = `${path}${draftEnding}`;
  try {
    writeDraft(draft, bytes, mode, synced !== 'nothing');
    makeWay?.();
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (synced === 'name') syncFolder(dirname(path));
}

function writeDraft(path: string, bytes: Uint8Array, mode: number, isSynced: boolean): void {
  const descriptor = openSync(path, 'w', mode);
  try {
    // Not one call: on a nearly full disk it writes only a part and throws nothing.
    for (let at = 0; at < bytes.length;)
      at += writeSync(descriptor, bytes, at, Math.min(pieceBytes, bytes.length - at));
    if (isSynced) fsyncSync(descriptor);
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
