/**
 * Asks whether an address is free for all the given kinds of socket at once, by binding them and letting go
 * again. The very first start uses it to find a port that DNS can have for UDP and TCP alike. The answer is
 * already history when it arrives: it chooses a default, and whoever binds afterwards still has to look at
 * the outcome.
 */
import { bindSocket, type SocketKind } from './bind-socket.ts';
import type { Libc } from './libc.ts';
import type { ListenAddress } from '#contract';

export type CanBind =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly kind: SocketKind; readonly code: string };

/** With port 0 the first kind gets any free port, and the others are tried on that same port. */
export function canBind(libc: Libc, address: ListenAddress, kinds: readonly SocketKind[]): CanBind {
  const held: number[] = [];
  try {
    return bindAll(libc, address, kinds, held);
  } finally {
    for (const fd of held) libc.close(fd);
  }
}

function bindAll(libc: Libc, address: ListenAddress, kinds: readonly SocketKind[], held: number[]): CanBind {
  let { port } = address;
  for (const kind of kinds) {
    const bound = bindSocket(libc, kind, { ...address, port });
    if (!bound.ok) return { ok: false, kind, code: bound.code };
    held.push(bound.value.fd);
    port = bound.value.port;
  }
  return { ok: true, port };
}
