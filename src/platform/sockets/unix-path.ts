// Checks the path of a unix socket before it is bound: nothing, a socket that may be stale, or a file that
// must not be touched. For the control sockets with and without libc.

import { lstatSync } from 'node:fs';
import type { Outcome } from './libc.ts';
import { maxUnixPathBytes } from './sockaddr.ts';
import { systemCode } from './system-code.ts';

export function checkUnixPath(path: string): Outcome<'free' | 'socket'> {
  if (Buffer.byteLength(path) > maxUnixPathBytes) return { ok: false, code: 'ENAMETOOLONG' };
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { ok: true, value: 'free' };
    return stats.isSocket() ? { ok: true, value: 'socket' } : { ok: false, code: 'EEXIST' };
  } catch (error) {
    return { ok: false, code: systemCode(error) };
  }
}
