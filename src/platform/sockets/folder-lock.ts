// The lock that keeps a second process out of the data folder: flock(2) on the file `lock` in it. The kernel
// ties it to the open descriptor, so it ends with its holder, also after kill -9, and a successor can inherit
// it. The file is never removed: a process that opened it before the removal and one that creates it
// afterwards would lock two different files. For the same reason release() only closes the descriptor: a
// successor that inherited the lock may already have written its own record.

import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolderPlain } from './folder-lock-plain.ts';
import type { Libc, Outcome } from './libc.ts';
import { LOCK_EX, LOCK_NB } from './linux-constants.ts';
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

export function lockFolder(libc: Libc | undefined, dir: string, holder: LockHolder): FolderLocked {
  if (libc === undefined) return lockFolderPlain(dir, holder);
  const path = join(dir, lockFileName);
  const opened = openLockFile(path);
  if (!opened.ok) return lockFailure(dir, opened.code);
  const locked = libc.flock(opened.value, LOCK_EX | LOCK_NB);
  if (!locked.ok) {
    closeSync(opened.value);
    return locked.code === 'EAGAIN' ? heldBy(dir, path) : lockFailure(dir, locked.code);
  }
  writeHolder(opened.value, holder);
  return { ok: true, lock: lockOn(opened.value) };
}

/**
 * The lock on a descriptor inherited from a predecessor: it is already held, because it belongs to the open
 * file that both share. The record in the file remains the predecessor's until `writeHolder`.
 */
export function inheritLock(libc: Libc, dir: string, fd: number): FolderLocked {
  const locked = libc.flock(fd, LOCK_EX | LOCK_NB);
  return locked.ok ? { ok: true, lock: lockOn(fd) } : lockFailure(dir, locked.code);
}

/**
 * On a read-only file system the existing file is locked: flock(2) needs no right to write, and the service
 * can still answer from the plan in the folder.
 */
function openLockFile(path: string): Outcome<number> {
  const opened = tryOpen(path, constants.O_RDWR | constants.O_CREAT);
  return opened.ok || opened.code !== 'EROFS' ? opened : tryOpen(path, constants.O_RDONLY, opened);
}

function tryOpen(path: string, flags: number, otherwise?: Outcome<number>): Outcome<number> {
  try {
    return { ok: true, value: openSync(path, flags, 0o600) };
  } catch (error) {
    return otherwise ?? { ok: false, code: systemCode(error) };
  }
}

/** The lock works without the record, and a full disk must not prevent the service from starting. */
export function writeHolder(fd: number, holder: LockHolder): void {
  try {
    ftruncateSync(fd, 0);
    writeSync(fd, formatHolder(holder), 0);
  } catch (error) {
    systemCode(error);
  }
}

function heldBy(dir: string, path: string): FolderLocked {
  const holder = parseHolder(readRecord(path));
  return { ok: false, isHeld: true, holder, problem: heldProblem(dir, holder) };
}

/** Releases only once: a second close could hit a descriptor that reuses the number. */
function lockOn(fd: number): FolderLock {
  let held = true;
  return {
    fd,
    release() {
      if (held) closeSync(fd);
      held = false;
    },
  };
}
