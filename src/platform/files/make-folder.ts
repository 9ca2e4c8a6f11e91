// Makes a folder and those above it, level by level. `mkdirSync` with `recursive`, and all of Node that
// makes folders in the same way (the compile cache), never returns where a file system answers ENOENT for a
// folder whose parent exists, as /proc does: it makes the parent again and again.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../sockets/system-code.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not make folders there',
  ENOENT: 'the file system takes no new folders there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder is needed',
  EPERM: 'the file system takes no new folders there',
  EROFS: 'the file system is read-only',
};

/** Why it is not there and cannot be made; nothing when it is there. */
export function makeFolder(path: string): string | undefined {
  const code = codeOf(path);
  return code === undefined ? undefined : `${reasons[code] ?? 'the system refuses'} (${code})`;
}

function codeOf(path: string): string | undefined {
  const code = makeOne(path);
  const parent = dirname(path);
  if (code !== 'ENOENT' || existsSync(parent)) return code;
  return codeOf(parent) ?? makeOne(path);
}

function makeOne(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    return isFolder(path) ? undefined : code === 'EEXIST' ? 'ENOTDIR' : code;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
