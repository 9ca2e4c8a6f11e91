// Checks whether an address is free for all the given kinds of socket at once, by binding them and closing
// them again: this finds a port that is free for UDP and for TCP. The port may be taken right afterwards, so
// the code that binds later must still handle a failure.

import { bindSocket, type SocketKind } from './bind-socket.ts';
import type { Libc } from './libc.ts';
import type { ListenAddress } from '#contract';

export type CanBind =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly kind: SocketKind; readonly code: string };

/** With port 0 the first kind gets any free port, and the others are tried on the same port. */
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
