/**
 * Takes a thread's copy of a listener away from it, from outside, for a thread that hangs and is about to be
 * terminated: on its way out it would accept waiting connections, or read waiting datagrams, and drop them.
 * The number of the copy is made to mean something else, and the thread's own cleanup then closes that: for
 * a stream /dev/null, where accept fails, for datagrams a socket that nobody can send to and that sends
 * nowhere. To be called right before terminate(): until the thread ends, its event loop may spin on the
 * dead descriptor.
 *
 * Descriptors belong to the whole process, and hitting a wrong one would be a disaster. So the number must
 * still mean the socket of the listener, which holds as long as nobody but the thread itself closes it; a
 * thread that hangs does not.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Libc } from './libc.ts';
import { AF_UNIX, SOCK_DGRAM } from './linux-constants.ts';
import type { Listener } from './listener.ts';

/** Says whether the copy was taken back; there is nothing to do when the thread has closed it already. */
export function takeBack(libc: Libc, listener: Pick<Listener, 'fd'>, copy: number): boolean {
  if (listener.fd === undefined || !isCopy(listener.fd, copy)) return false;
  const nothing = openSync('/dev/null', 'r');
  const replaced = libc.dup3(nothing, copy);
  closeSync(nothing);
  return replaced.ok;
}

/** The same for a UDP socket. `copy` is what the thread's black box says it listens with. */
export function takeBackDatagrams(libc: Libc, fd: number, copy: number): boolean {
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
