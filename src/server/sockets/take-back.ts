/**
 * Takes a thread's copy of a listener away from it, from outside, for a thread that hangs and is about to be
 * terminated: on its way out it would accept waiting connections and drop them. The number of the copy is
 * made to mean /dev/null, where accept fails, and the thread's own cleanup then closes that. To be called
 * right before terminate(): until the thread ends, its event loop may spin on the dead descriptor.
 *
 * Descriptors belong to the whole process, and hitting a wrong one would be a disaster. So the number must
 * still mean the socket of the listener, which holds as long as nobody but the thread itself closes it; a
 * thread that hangs does not.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Libc } from './libc.ts';
import type { Listener } from './listener.ts';

/** Says whether the copy was taken back; there is nothing to do when the thread has closed it already. */
export function takeBack(libc: Libc, listener: Pick<Listener, 'fd'>, copy: number): boolean {
  if (listener.fd === undefined || listener.fd === copy || !isSameSocket(listener.fd, copy)) return false;
  const nothing = openSync('/dev/null', 'r');
  const replaced = libc.dup3(nothing, copy);
  closeSync(nothing);
  return replaced.ok;
}

function isSameSocket(fd: number, other: number): boolean {
  try {
    const [a, b] = [fstatSync(fd, { bigint: true }), fstatSync(other, { bigint: true })];
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}
