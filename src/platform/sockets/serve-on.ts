// Serves on a listener that the main thread opened. The thread gets a copy (dup) of the descriptor: its
// server closes the copy when it closes or dies, and the socket with its queue stays with the main thread.
// Without a descriptor the server listens by address.
//
// A dying thread runs its event loop once more, and libuv then accepts connections for which no code is left:
// their clients see a reset. So the servers are closed when the thread exits, which covers process.exit and
// uncaught errors; revoke-copy.ts covers a thread that hangs. A thread that runs out of memory still resets
// one connection, because no code runs at its end.

import { chmodSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import type { Libc } from './libc.ts';
import type { Listener } from './listener.ts';

/** Node's types do not list the descriptor among the options, but its documentation does. */
type Where = ListenOptions | { readonly fd: number; readonly backlog: number };

/** One hook for all servers of the thread: Node would report one hook per server as a leak. */
const serving = new Set<Server>();

/**
 * Returns the number of the copy, which the main thread needs to take it back. A rejection is the platform's
 * error: the address was already tried when the listener was opened.
 */
export async function attach(
  libc: Libc | undefined,
  server: Server,
  listener: Listener,
): Promise<number | undefined> {
  const copy = listener.fd === undefined ? undefined : copyOf(libc, listener.fd);
  await listening(
    server,
    copy === undefined ? ownAddress(listener) : { fd: copy, backlog: listener.backlog },
  );
  if (listener.kind === 'unix' && copy === undefined) chmodSync(listener.path, 0o600);
  closeAtExit(server);
  return copy;
}

/** The server owns the copy from now on, even if listening fails: a second close could hit another file. */
async function listening(server: Server, where: Where): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve).once('error', reject);
  try {
    server.listen(where);
    await promise;
  } finally {
    server.off('listening', resolve).off('error', reject);
  }
}

function ownAddress(listener: Listener): ListenOptions {
  if (listener.kind === 'unix') return { path: listener.path, backlog: listener.backlog };
  const { address: host, backlog, family, port } = listener;
  return { host, port, ipv6Only: family === 'ipv6', backlog };
}

function copyOf(libc: Libc | undefined, fd: number): number {
  const copied = libc?.dup(fd) ?? { ok: false, code: 'no libc' };
  if (copied.ok) return copied.value;
  throw new Error(`cannot copy the listening descriptor ${fd}: ${copied.code}. Start the thread again.`);
}

function closeAtExit(server: Server): void {
  if (serving.size === 0) process.once('exit', closeAll);
  serving.add(server);
  server.once('close', () => {
    serving.delete(server);
    if (serving.size === 0) process.off('exit', closeAll);
  });
}

function closeAll(): void {
  for (const server of serving) server.close();
}
