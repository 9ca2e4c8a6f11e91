// The compiled lists on the disk, so that a start filters before any list is read again, and beside them a
// record of what they were made of, which the next build is compared with. Two files cannot be replaced at
// once: the new record is written beside the old one first and takes its place last, and each names the
// snapshot that it belongs to by its first bytes, which hold a key drawn for each build. The snapshot before
// stays beside the new one, for a start that finds the new one damaged.

import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { openSnapshot, snapshotMemory, type SnapshotProblem } from '#policy';
import { previousSnapshotFile } from './read-snapshot.ts';
import { isObject, readJson, writeWhole, writeWholeJson } from '#platform/files';

/** What the last good build was made of. */
export interface BuildRecord {
  readonly names: number;
  readonly lists: readonly BuiltList[];
}

interface BuiltList {
  readonly id: number;
  readonly version: number;
  readonly entries: number;
  /** Entries that the list had before; records of earlier versions do not know. */
  readonly duplicates?: number;
}

export type LoadedSnapshot =
  | { readonly kind: 'loaded'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly problem: SnapshotProblem | 'unreadable' };

const format = 2;
/** Of the snapshot, in its record. */
const headBytes = 32;
const recordBytesMax = 16_777_216;

const recordPath = (snapshotPath: string): string => `${snapshotPath}.json`;
const nextRecordPath = (snapshotPath: string): string => `${snapshotPath}.next.json`;

/** Throws when the disk does not take it; the old ones are whole then. */
export function writeSnapshotFile(path: string, bytes: Uint8Array, record: BuildRecord): void {
  const head = Buffer.from(bytes.slice(0, headBytes)).toString('hex');
  writeWholeJson(nextRecordPath(path), { format, head, ...record });
  // An end right after it leaves the previous one, which a start reads as well.
  const makeWay = (): void => (isFile(path) ? renameSync(path, previousSnapshotFile(path)) : undefined);
  writeWhole(path, bytes, makeWay);
  renameSync(nextRecordPath(path), recordPath(path));
  if (!existsSync(previousSnapshotFile(path))) keepSecond(path, bytes);
}

/** After the first build there is nothing older: damage would leave nothing. It is no loss without room. */
function keepSecond(path: string, bytes: Uint8Array): void {
  try {
    writeWhole(previousSnapshotFile(path), bytes);
  } catch {}
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Of the snapshot that is there; without one, of the last that was. */
export function readBuildRecord(snapshotPath: string): BuildRecord | undefined {
  const head = headOf(snapshotPath);
  return [recordPath(snapshotPath), nextRecordPath(snapshotPath)]
    .map((path) => readJson(path, recordBytesMax))
    .filter(isRecord)
    .find((record) => head === undefined || record.head === head);
}

/** By list, the copy that queries are answered by. */
export const versionsInForce = (snapshotPath: string): ReadonlyMap<number, number> =>
  new Map(readBuildRecord(snapshotPath)?.lists.map(({ id, version }) => [id, version]));

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

const isRecord = (value: unknown): value is BuildRecord & { readonly head: unknown } =>
  isObject(value) &&
  value['format'] === format &&
  Number.isSafeInteger(value['names']) &&
  Array.isArray(value['lists']) &&
  value['lists'].every(
    (list: unknown) =>
      isObject(list) && Number.isSafeInteger(list['id']) && Number.isSafeInteger(list['entries']),
  );

/** Checked as a whole. One that cannot be used is put aside, and is to be built anew from the copies. */
export function loadSnapshotFile(path: string): LoadedSnapshot {
  const read = readShared(path);
  const checked = read.kind === 'loaded' ? check(read.buffer) : read;
  if (checked.kind === 'unusable') putAside(path);
  return checked;
}

function check(buffer: SharedArrayBuffer): LoadedSnapshot {
  const opened = openSnapshot(buffer);
  return typeof opened === 'string' ? { kind: 'unusable', problem: opened } : { kind: 'loaded', buffer };
}

/** Whatever stands there, also a folder: what is compiled next needs the name. */
function putAside(path: string): void {
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
    // Whatever else may pass, as when there is no descriptor left, and then the file is as good as before.
    const isForGood =
      error instanceof Error && 'code' in error && ['EISDIR', 'EACCES'].includes(String(error.code));
    return isForGood ? { kind: 'unusable', problem: 'unreadable' } : { kind: 'none' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
