/**
 * The control socket: a unix stream socket that only our user may open, mode 0600 from its first moment. The
 * mode is set with fchmod on the socket BEFORE bind: Linux gives the file the mode of the socket itself,
 * less the umask (unix_bind_bsd in net/unix/af_unix.c). So there is no moment with a wider mode, as there
 * would be with chmod after bind; no change of the umask, which belongs to all threads and would hit files
 * that others create meanwhile; and no second name, which would cut the 107 bytes of path shorter still.
 *
 * A socket that answers is somebody's and stays. One that refuses was left behind by a dead process and is
 * removed. Between the look and the removal another starter could come in; the lock of the data folder keeps
 * it out.
 */
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
  // EAGAIN: somebody listens, with a full queue.
  if (answer.ok || answer.code === 'EAGAIN') return { ok: false, code: 'EADDRINUSE' };
  return answer.code === 'ECONNREFUSED' ? attempt(() => unlinkSync(path)) : answer;
}

function bindPrivately(libc: Libc, fd: number, path: string): Outcome<number> {
  const restricted = attempt(() => fchmodSync(fd, 0o600));
  if (!restricted.ok) return restricted;
  const bound = libc.bind(fd, encodeSockaddr({ family: 'unix', path }));
  return bound.ok ? libc.listen(fd, defaultBacklog) : bound;
}

/** A new socket on which the step succeeded; one on which it failed is closed. */
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
