// UDP sockets for DNS, one per address and worker. The first socket of an address is bound without
// SO_REUSEPORT, so that a port which another program uses is an error; only then is the port shared, and the
// sockets of the other workers are bound. The kernel distributes clients over them by address and port.

import { formatListenHost, type ListenAddress } from '#contract';
import { bindProblem } from './bind-problem.ts';
import { bindSocket } from './bind-socket.ts';
import type { Libc, Outcome } from './libc.ts';
import { SO_REUSEPORT, SOL_SOCKET } from './linux-constants.ts';
import { listenerBufferBytes, setBuffers } from './socket-buffers.ts';

export interface UdpOptions {
  /** The setting with this address: messages begin with it. */
  readonly setting: string;
  readonly workers: number;
}

interface UdpSockets {
  readonly family: 'ipv4' | 'ipv6';
  /** With the zone of a link-local one. */
  readonly address: string;
  readonly port: number;
  /** One per worker. Empty without libc: then the first worker listens by address. */
  readonly fds: readonly number[];
}

export type OpenedUdp =
  | { readonly ok: true; readonly sockets: UdpSockets }
  | { readonly ok: false; readonly code: string; readonly problem: string };

/** The address is a local one, not a wildcard. */
export function openUdp(libc: Libc, address: ListenAddress, options: UdpOptions): OpenedUdp {
  const first = bindSocket(libc, 'udp', address);
  if (!first.ok) return refused(address, options, first.code);
  const { fd, port } = first.value;
  setBuffers(libc, fd, listenerBufferBytes);
  const all = withWorkers(libc, { ...address, port }, [fd], options.workers);
  if (!all.ok) {
    libc.close(fd);
    return refused(address, options, all.code);
  }
  const family = address.family === 'ipv6' ? 'ipv6' : 'ipv4';
  return { ok: true, sockets: { family, address: formatListenHost(address), port, fds: all.value } };
}

/**
 * Adjusts the number of sockets to the number of workers: keeps existing ones and opens new ones. Surplus
 * sockets are closed, and their waiting packets are lost.
 */
export function withWorkers(
  libc: Libc,
  address: ListenAddress,
  fds: readonly number[],
  workers: number,
): Outcome<readonly number[]> {
  for (const fd of fds.slice(workers)) libc.close(fd);
  const kept = fds.slice(0, workers);
  const added: number[] = [];
  for (const fd of kept.length < workers ? kept : []) libc.setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  while (kept.length + added.length < workers) {
    const bound = bindSocket(libc, 'udp', address, true);
    if (!bound.ok) {
      for (const fd of added) libc.close(fd);
      return bound;
    }
    setBuffers(libc, bound.value.fd, listenerBufferBytes);
    added.push(bound.value.fd);
  }
  return { ok: true, value: [...kept, ...added] };
}

function refused(address: ListenAddress, { setting }: UdpOptions, code: string): OpenedUdp {
  return { ok: false, code, problem: bindProblem(setting, address, code) };
}
