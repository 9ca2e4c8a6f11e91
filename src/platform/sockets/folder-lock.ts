/**
 * The lock that keeps a second process out of the data folder: flock(2) on the file `lock` in it. The kernel
 * holds it for the open descriptor, so it ends with its holder however that ends, kill -9 included, and can
 * later be handed to a successor by inheritance. The file itself is never removed: whoever opened it before
 * the removal and whoever creates it after would lock two different files. For the same reason release()
 * closes and does no more: a successor that inherited the lock has its own record in the file by then.
 */
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
 * The lock on a descriptor that a predecessor has left: it holds already, for it belongs to the open file
 * that both share. The record in the file stays the predecessor's until `writeHolder`.
 */
export function inheritLock(libc: Libc, dir: string, fd: number): FolderLocked {
  const locked = libc.flock(fd, LOCK_EX | LOCK_NB);
  return locked.ok ? { ok: true, lock: lockOn(fd) } : lockFailure(dir, locked.code);
}

/**
 * On a file system that is read-only the file that is there is locked all the same: flock(2) asks for no
 * right to write, and what was answered last lies beside it.
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

/** The lock holds without the record, and a full disk must not keep the service from starting. */
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

/** Released once only: a second close could hit a descriptor that reuses the number. */
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
