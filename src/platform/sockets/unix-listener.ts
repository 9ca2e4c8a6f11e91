// The control socket: a unix stream socket that only this user may open, with mode 0600 from the beginning.
// The mode is set with fchmod on the socket BEFORE bind: Linux gives the file the mode of the socket, less
// the umask (unix_bind_bsd in net/unix/af_unix.c). So the mode is never wider, as it would be with chmod
// after bind; the umask, which all threads share, is not changed; and no second name is needed, which would
// shorten the 107 bytes of path.
//
// A socket that answers belongs to a running process and stays. One that refuses was left behind by a dead
// process and is removed. The lock of the data folder keeps another starting process out between the check
// and the removal.

import { fchmodSync, unlinkSync } from 'node:fs';
import type { Libc, Outcome } from './libc.ts';
import { AF_UNIX, SOCK_STREAM } from './linux-constants.ts';
import { defaultBacklog, type Opened, type UnixListener } from './listener.ts';
import { encodeSockaddr } from './sockaddr.ts';
import { systemCode } from './system-code.ts';
import { checkUnixPath } from './unix-path.ts';
import { unixProblem } from './unix-problem.ts';

export function openUnix(libc: Libc, path: string): Opened<UnixListener> {
  const opened = open(libc, path);
  if (!opened.ok) return { ok: false, code: opened.code, problem: unixProblem(path, opened.code) };
  return { ok: true, listener: { kind: 'unix', fd: opened.value, path, backlog: defaultBacklog } };
}

function open(libc: Libc, path: string): Outcome<number> {
  const found = checkUnixPath(path);
  if (!found.ok) return found;
  const cleared = found.value === 'socket' ? removeStale(libc, path) : found;
  if (!cleared.ok) return cleared;
  return withSocket(libc, (fd) => bindPrivately(libc, fd, path));
}

function removeStale(libc: Libc, path: string): Outcome<number> {
  const answer = withSocket(libc, (fd) => libc.connect(fd, encodeSockaddr({ family: 'unix', path })));
  if (answer.ok) libc.close(answer.value);
  // EAGAIN: a process listens, and its queue is full.
  if (answer.ok || answer.code === 'EAGAIN') return { ok: false, code: 'EADDRINUSE' };
  return answer.code === 'ECONNREFUSED' ? attempt(() => unlinkSync(path)) : answer;
}

function bindPrivately(libc: Libc, fd: number, path: string): Outcome<number> {
  const restricted = attempt(() => fchmodSync(fd, 0o600));
  if (!restricted.ok) return restricted;
  const bound = libc.bind(fd, encodeSockaddr({ family: 'unix', path }));
  return bound.ok ? libc.listen(fd, defaultBacklog) : bound;
}

/** A new socket on which the step succeeded; if it fails, the socket is closed. */
function withSocket(libc: Libc, step: (fd: number) => Outcome<number>): Outcome<number> {
  const made = libc.socket(AF_UNIX, SOCK_STREAM);
  if (!made.ok) return made;
  const done = step(made.value);
  if (done.ok) return made;
  libc.close(made.value);
  return done;
}

function attempt(step: () => void): Outcome<number> {
  try {
    step();
    return { ok: true, value: 0 };
  } catch (error) {
    return { ok: false, code: systemCode(error) };
  }
}
