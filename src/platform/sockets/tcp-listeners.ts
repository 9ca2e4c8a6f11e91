// TCP listeners as bare descriptors. The main thread opens and keeps them, worker threads serve on copies:
// the accept queue belongs to the socket and not to the thread, so connections wait in it while a dead worker
// is replaced, and none is refused.

import { bindProblem } from './bind-problem.ts';
import { bindSocket } from './bind-socket.ts';
import type { Libc, Outcome } from './libc.ts';
import type { ListenAddress } from '#contract';
import { defaultBacklog, type Opened, type TcpListener } from './listener.ts';

export interface TcpOptions {
  /** The setting with this address: messages begin with it. */
  readonly setting: string;
  readonly backlog?: number;
}

export function openTcp(libc: Libc, address: ListenAddress, options: TcpOptions): Opened<TcpListener> {
  const opened = listenOn(libc, address, options.backlog ?? defaultBacklog);
  if (opened.ok) return { ok: true, listener: opened.value };
  return { ok: false, code: opened.code, problem: bindProblem(options.setting, address, opened.code) };
}

function listenOn(libc: Libc, address: ListenAddress, backlog: number): Outcome<TcpListener> {
  const bound = bindSocket(libc, 'tcp', address);
  if (!bound.ok) return bound;
  // SO_REUSEADDR lets two sockets bind one port as long as neither listens, so a conflict shows only here.
  const listening = libc.listen(bound.value.fd, backlog);
  if (listening.ok) return { ok: true, value: { kind: 'tcp', ...bound.value, backlog } };
  libc.close(bound.value.fd);
  return listening;
}
