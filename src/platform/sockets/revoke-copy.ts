// Revokes a thread's copy of a listener from outside, for a thread that hangs and is about to be
// terminated: on its way out it would accept waiting connections, or read waiting datagrams, and drop them.
// The number of the copy is redirected, and the thread's own cleanup closes the new target: for a stream
// /dev/null, where accept fails, for datagrams a socket that receives nothing and sends nowhere. To be called
// right before terminate(): until the thread ends, its event loop may spin on the redirected descriptor.
//
// Descriptors belong to the whole process, and redirecting a wrong one would be a disaster. So the number
// must still refer to the socket of the listener. Only the thread itself closes its copy, and a thread that
// hangs does not.

import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Libc } from './libc.ts';
import { AF_UNIX, SOCK_DGRAM } from './linux-constants.ts';
import type { Listener } from './listener.ts';

/** Returns whether the copy was revoked; false when the thread has already closed it. */
export function revokeCopy(libc: Libc, listener: Pick<Listener, 'fd'>, copy: number): boolean {
  if (listener.fd === undefined || !isCopy(listener.fd, copy)) return false;
  const nothing = openSync('/dev/null', 'r');
  const replaced = libc.dup3(nothing, copy);
  closeSync(nothing);
  return replaced.ok;
}

/** The same for a UDP socket. `copy` is the descriptor that the thread recorded in shared memory. */
export function revokeDatagramCopy(libc: Libc, fd: number, copy: number): boolean {
  if (!isCopy(fd, copy)) return false;
  const idle = libc.socket(AF_UNIX, SOCK_DGRAM);
  if (!idle.ok) return false;
  const replaced = libc.dup3(idle.value, copy);
  libc.close(idle.value);
  return replaced.ok;
}

function isCopy(fd: number, copy: number): boolean {
  return fd !== copy && isSameSocket(fd, copy);
}

function isSameSocket(fd: number, other: number): boolean {
  try {
    const [a, b] = [fstatSync(fd, { bigint: true }), fstatSync(other, { bigint: true })];
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}
