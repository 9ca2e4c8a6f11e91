// The metadata of a file: size, kind, permissions, times and owner, in the fields of the API. For a file that
// does not exist, all of them are zero or unknown.

import { lstatSync, readFileSync, type Stats } from 'node:fs';

export interface FileFacts {
  readonly size: number;
  readonly type: 'Regular file' | 'Symbolic link' | 'Unknown';
  readonly mode: string;
  readonly atime: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly owner: {
    readonly user: { readonly uid: number; readonly name: string | null; readonly info: string | null };
    readonly group: { readonly gid: number; readonly name: string | null };
  };
}

/** For a file that does not exist. */
const absent = { size: 0, mode: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0, uid: 0, gid: 0 };

export function fileFacts(path: string): FileFacts {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const { size, mode, atimeMs, mtimeMs, ctimeMs, uid, gid } = stats ?? absent;
  const [userName, , , , info] = entryOf('/etc/passwd', uid);
  const [groupName] = entryOf('/etc/group', gid);
  return {
    size,
    type: typeOf(stats),
    mode: modeText(mode),
    atime: secondsOf(atimeMs),
    mtime: secondsOf(mtimeMs),
    ctime: secondsOf(ctimeMs),
    owner: {
      user: { uid, name: textOf(userName), info: textOf(info) },
      group: { gid, name: textOf(groupName) },
    },
  };
}

function typeOf(stats: Stats | undefined): FileFacts['type'] {
  if (stats?.isFile() === true) return 'Regular file';
  return stats?.isSymbolicLink() === true ? 'Symbolic link' : 'Unknown';
}

function secondsOf(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}
function textOf(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/** The permissions as `ls` shows them. */
export function modeText(mode: number): string {
  return [8, 7, 6, 5, 4, 3, 2, 1, 0]
    .map((bit) => (((mode >> bit) & 1) === 1 ? 'xwr'.charAt(bit % 3) : '-'))
    .join('');
}

/** The fields of the line whose third field is this id (passwd(5), group(5)). */
function entryOf(path: string, id: number): readonly string[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.map((line) => line.split(':')).find(([, , number]) => number === String(id)) ?? [];
  } catch {
    return [];
  }
}
