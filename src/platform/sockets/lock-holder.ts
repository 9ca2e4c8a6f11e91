// The holder of the data folder as a record in the lock file, for people: the holder writes it, and a process
// that cannot get the lock reads it for its message. Where the kernel does the locking the record decides
// nothing, so an unreadable one only makes the message less detailed.

import { readFileSync } from 'node:fs';

export interface LockHolder {
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly version: string;
  readonly host: string;
}

export type FolderLocked =
  | { readonly ok: true; readonly lock: FolderLock }
  | {
      readonly ok: false;
      /** True when another process has it; false when it cannot be locked at all. */
      readonly isHeld: boolean;
      readonly holder: LockHolder | undefined;
      readonly problem: string;
    };

export interface FolderLock {
  /** The locked descriptor; `undefined` where libc is missing. */
  readonly fd: number | undefined;
  release(): void;
}

export const lockFileName = 'lock';

const maxRecordLength = 4096;

export function formatHolder({ pid, startedAt, version, host }: LockHolder): string {
  return `${JSON.stringify({ pid, startedAt, version, host })}\n`;
}

export function parseHolder(text: string): LockHolder | undefined {
  if (text.length > maxRecordLength) return undefined;
  const { pid, startedAt, version, host } = parseObject(text);
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof startedAt !== 'string' || typeof version !== 'string' || typeof host !== 'string')
    return undefined;
  return { pid, startedAt, version, host };
}

/** '' when there is no readable record. */
export function readRecord(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function heldProblem(dir: string, holder: LockHolder | undefined): string {
  const who = holder === undefined ? 'another process' : describe(holder);
  return `data folder ${dir}: ${who} uses it. Stop that process, or give this one another data folder.`;
}

function describe({ pid, startedAt, version, host }: LockHolder): string {
  return `process ${pid} on ${host} (version ${version}, since ${startedAt})`;
}

export function lockFailure(dir: string, code: string): FolderLocked {
  const problem = `data folder ${dir}: cannot be locked: ${reason(code)}`;
  return { ok: false, isHeld: false, holder: undefined, problem };
}

function reason(code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no such folder, or it allows no files (${code}). Create it or name another one.`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not write its file "${lockFileName}" (${code}). Give the user both.`;
    case 'EROFS':
      return `the file system is read-only (${code}). Name a folder that can be written.`;
    default:
      return `the system refuses it (${code}). Name a folder on a local file system.`;
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
