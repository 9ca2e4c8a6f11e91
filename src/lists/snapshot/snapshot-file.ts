// Writes and checks the snapshot file, and beside it the build record: which lists it was compiled from, for
// comparison with the next build. Two files cannot be replaced atomically. So the new record is written
// first, under another name, and renamed last; and each record holds the first bytes of its snapshot, which
// contain a random key per build. The previous snapshot is kept, for a start that finds the new one damaged.

import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { openSnapshot, snapshotMemory, type SnapshotProblem } from '#policy';
import { previousSnapshotFile } from './read-snapshot.ts';
import { isObject, readJson, writeWhole, writeWholeJson } from '#platform/files';

/** What the last good build was compiled from. */
export interface BuildRecord {
  readonly names: number;
  readonly lists: readonly BuiltList[];
}

interface BuiltList {
  readonly id: number;
  readonly version: number;
  readonly entries: number;
  /** Entries that occur earlier in the list; missing in records of earlier versions of Sluice. */
  readonly duplicates?: number;
}

export type LoadedSnapshot =
  | { readonly kind: 'loaded'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly problem: SnapshotProblem | 'unreadable' };

const format = 2;
/** First bytes of the snapshot that the record repeats. */
const headBytes = 32;
const maxRecordBytes = 16_777_216;

function recordPath(snapshotPath: string): string {
  return `${snapshotPath}.json`;
}

function nextRecordPath(snapshotPath: string): string {
  return `${snapshotPath}.next.json`;
}

/** Throws when the disk is not writable; the old files are intact then. */
export function writeSnapshotFile(path: string, bytes: Uint8Array, record: BuildRecord): void {
  const head = Buffer.from(bytes.slice(0, headBytes)).toString('hex');
  writeWholeJson(nextRecordPath(path), { format, head, ...record });
  // If the program is killed right after this, a start reads the previous snapshot.
  const keepPrevious = (): void => (isFile(path) ? renameSync(path, previousSnapshotFile(path)) : undefined);
  writeWhole(path, bytes, { makeWay: keepPrevious });
  renameSync(nextRecordPath(path), recordPath(path));
  if (!existsSync(previousSnapshotFile(path))) writeFallback(path, bytes);
}

/** The first build has no predecessor: a second copy replaces it. A full disk is no reason to fail. */
function writeFallback(path: string, bytes: Uint8Array): void {
  try {
    writeWhole(previousSnapshotFile(path), bytes);
  } catch {}
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The record of the snapshot on disk; without a snapshot, the last record written. */
export function readBuildRecord(snapshotPath: string): BuildRecord | undefined {
  const head = headOf(snapshotPath);
  return [recordPath(snapshotPath), nextRecordPath(snapshotPath)]
    .map((path) => readJson(path, maxRecordBytes))
    .filter(isRecord)
    .find((record) => head === undefined || record.head === head);
}

/** By list id, the version of the copy in the current snapshot. */
export function versionsInForce(snapshotPath: string): ReadonlyMap<number, number> {
  return new Map(readBuildRecord(snapshotPath)?.lists.map(({ id, version }) => [id, version]));
}

function headOf(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const bytes = Buffer.alloc(headBytes);
    readSync(descriptor, bytes, 0, headBytes, 0);
    return bytes.toString('hex');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isRecord(value: unknown): value is BuildRecord & { readonly head: unknown } {
  return (
    isObject(value) &&
    value['format'] === format &&
    Number.isSafeInteger(value['names']) &&
    Array.isArray(value['lists']) &&
    value['lists'].every(
      (list: unknown) =>
        isObject(list) && Number.isSafeInteger(list['id']) && Number.isSafeInteger(list['entries']),
    )
  );
}

/** Checks the whole snapshot. An unusable file is renamed; the caller compiles a new one from the copies. */
export function loadSnapshotFile(path: string): LoadedSnapshot {
  const read = readShared(path);
  const checked = read.kind === 'loaded' ? check(read.buffer) : read;
  if (checked.kind === 'unusable') renameDamaged(path);
  return checked;
}

function check(buffer: SharedArrayBuffer): LoadedSnapshot {
  const opened = openSnapshot(buffer);
  return typeof opened === 'string' ? { kind: 'unusable', problem: opened } : { kind: 'loaded', buffer };
}

/** Also a folder: the next build needs the name. */
function renameDamaged(path: string): void {
  const aside = `${path}.damaged`;
  rmSync(aside, { recursive: true, force: true });
  renameSync(path, aside);
}

function readShared(path: string): LoadedSnapshot {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    const buffer = snapshotMemory(size);
    const bytes = new Uint8Array(buffer, 0, size);
    for (let at = 0; at < size;) {
      const read = readSync(descriptor, bytes, at, size - at, at);
      if (read === 0) break;
      at += read;
    }
    return { kind: 'loaded', buffer };
  } catch (error) {
    // Other errors may be temporary (no file descriptor left): the file is not renamed then.
    const isPermanent =
      error instanceof Error && 'code' in error && ['EISDIR', 'EACCES'].includes(String(error.code));
    return isPermanent ? { kind: 'unusable', problem: 'unreadable' } : { kind: 'none' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
