/**
 * Room in the kernel for datagrams that wait: a burst of queries must find it while the thread works, and
 * the usual 208 kB hold some hundred datagrams only. Beyond net.core.rmem_max it takes CAP_NET_ADMIN; where
 * that is missing the kernel cuts the size down silently, and what it grants is taken.
 */
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
