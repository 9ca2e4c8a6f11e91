/**
 * What a thread calls to serve on a listener that the main thread opened. The thread gets a copy (dup) of
 * the descriptor: its server closes the copy when it closes or dies, and the socket with its queue stays
 * with the main thread. Without a descriptor the server listens by address. A rejection here is the
 * platform's own error: the address was already tried when the listener was opened.
 */
import { chmodSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import type { Libc } from './libc.ts';
import type { Listener } from './listener.ts';

export async function attach(libc: Libc | undefined, server: Server, listener: Listener): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve).once('error', reject);
  try {
    server.listen(whereToListen(libc, listener));
    await promise;
  } finally {
    server.off('listening', resolve).off('error', reject);
  }
  if (listener.kind === 'unix' && listener.fd === undefined) chmodSync(listener.path, 0o600);
}

/** The types of Node do not know the descriptor among the options, though its manual does. */
type Where = ListenOptions | { readonly fd: number; readonly backlog: number };

function whereToListen(libc: Libc | undefined, listener: Listener): Where {
  const { backlog, fd } = listener;
  if (fd !== undefined) return { fd: copy(libc, fd), backlog };
  if (listener.kind === 'unix') return { path: listener.path, backlog };
  const { address: host, family, port } = listener;
  return { host, port, ipv6Only: family === 'ipv6', backlog };
}

/** The server owns the copy at once, even if listening fails: to close it twice could hit another file. */
function copy(libc: Libc | undefined, fd: number): number {
  const copied = libc?.dup(fd) ?? { ok: false, code: 'no libc' };
  if (copied.ok) return copied.value;
  throw new Error(`cannot copy the listening descriptor ${fd}: ${copied.code}. Start the thread again.`);
}
