// The lock of the data folder without libc: the file `lock` exists while a process holds the folder, and a
// record whose process does not exist is stale. The record is written under another name and then linked, so
// the lock file never exists without its content. Weaker than flock: a reused process number looks like a
// live holder, and a holder on another host cannot be checked, so it counts as alive.

import { linkSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from './libc.ts';
import {
  type FolderLock,
  type FolderLocked,
  formatHolder,
  heldProblem,
  lockFailure,
  lockFileName,
  type LockHolder,
  parseHolder,
  readRecord,
} from './lock-holder.ts';
import { systemCode } from './system-code.ts';

export function lockFolderPlain(dir: string, holder: LockHolder): FolderLocked {
  const path = join(dir, lockFileName);
  const record = formatHolder(holder);
  let created = create(path, record);
  if (!created.ok && created.code === 'EEXIST' && removeStale(path, holder)) created = create(path, record);
  if (created.ok) return { ok: true, lock: lockOn(path, record) };
  if (created.code !== 'EEXIST') return lockFailure(dir, created.code);
  const other = parseHolder(readRecord(path));
  return {
    ok: false,
    isHeld: true,
    holder: other,
    problem: `${heldProblem(dir, other)} If it is gone for certain, delete ${path}.`,
  };
}

function create(path: string, record: string): Outcome<undefined> {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, record, { mode: 0o600 });
    linkSync(draft, path);
    return { ok: true, value: undefined };
  } catch (error) {
    return { ok: false, code: systemCode(error) };
  } finally {
    remove(draft);
  }
}

/**
 * Moves the file away before checking it again: of two starting processes that consider one file stale only
 * one can move it, and one that moved a fresh lock by mistake puts it back.
 */
function removeStale(path: string, starter: LockHolder): boolean {
  if (!isStale(readRecord(path), starter)) return false;
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    const stale = isStale(readRecord(aside), starter);
    if (!stale) linkSync(aside, path);
    return stale;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  } finally {
    remove(aside);
  }
}

function isStale(record: string, starter: LockHolder): boolean {
  const holder = parseHolder(record);
  if (holder === undefined) return true;
  if (holder.host !== starter.host) return false;
  // This process's number in an older record: it belonged to an earlier process with the same number.
  if (holder.pid === process.pid) return Date.parse(holder.startedAt) < performance.timeOrigin;
  return !isAlive(holder.pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

function lockOn(path: string, record: string): FolderLock {
  return {
    fd: undefined,
    release() {
      if (readRecord(path) === record) remove(path);
    },
  };
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    systemCode(error);
  }
}
