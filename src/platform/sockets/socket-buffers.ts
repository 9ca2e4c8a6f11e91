// Kernel buffers for waiting datagrams: they must hold a burst of queries while the thread works, and the
// default of 208 kB holds only some hundred datagrams. A size above net.core.rmem_max needs CAP_NET_ADMIN;
// without it the kernel silently reduces the size.

import type { Libc } from './libc.ts';
import { SO_RCVBUF, SO_RCVBUFFORCE, SO_SNDBUF, SO_SNDBUFFORCE, SOL_SOCKET } from './linux-constants.ts';

export const listenerBufferBytes = 4 * 1024 * 1024;
export const channelBufferBytes = 1024 * 1024;

export function setBuffers(libc: Libc, fd: number, sizeBytes: number): void {
  for (const [force, plain] of [
    [SO_RCVBUFFORCE, SO_RCVBUF],
    [SO_SNDBUFFORCE, SO_SNDBUF],
  ] as const) {
    if (!libc.setsockopt(fd, SOL_SOCKET, force, sizeBytes).ok) {
      libc.setsockopt(fd, SOL_SOCKET, plain, sizeBytes);
    }
  }
}
