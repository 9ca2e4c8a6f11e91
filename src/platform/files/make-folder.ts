// Creates a folder and its parents, level by level. `mkdirSync` with `recursive`, and everything in Node that
// creates folders that way (the compile cache), never returns where a file system answers ENOENT for a folder
// whose parent exists, as /proc does: it creates the parent again and again.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../sockets/system-code.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not make folders there',
  ENOENT: 'the file system does not allow new folders there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder is needed',
  EPERM: 'the file system does not allow new folders there',
  EROFS: 'the file system is read-only',
};

/** Why the folder does not exist and cannot be created; undefined when it exists. */
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
