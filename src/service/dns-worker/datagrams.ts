// The calls for UDP by batches that the engine is given: batches by mmsg.ts, and the few things about a
// descriptor that node:dgram cannot do. `undefined` where koffi or Linux is missing; the engine then goes on
// with node:dgram alone.

import type { Datagrams } from '#engine';
import {
  AF_INET,
  AF_INET6,
  channelBufferBytes,
  encodeSockaddr,
  type Libc,
  type Outcome,
  setBuffers,
  SO_REUSEADDR,
  SOCK_DGRAM,
  SOL_SOCKET,
} from '#platform/sockets';
import { loadMmsg, MmsgReceiver, MmsgTransmitter } from './mmsg.ts';

export function loadDatagrams(libc: Libc | undefined): Datagrams | undefined {
  const calls = libc && loadMmsg();
  if (libc === undefined || calls === undefined) return undefined;
  return {
    receiver: (memory, family) => new MmsgReceiver(calls, memory, family),
    transmitter: (memory, family) => new MmsgTransmitter(calls, memory, family),
    connect(address, port) {
      const made = connected(libc, address, port);
      return made.ok ? { ok: true, fd: made.value } : made;
    },
    copy(fd) {
      const copied = libc.dup(fd);
      return copied.ok ? { ok: true, fd: copied.value } : copied;
    },
    close: (fd) => void libc.close(fd),
  };
}

/** libuv sets SO_REUSEADDR on every descriptor that it opens, which for UDP lets others share the port. */
export function keepPort(libc: Libc | undefined, fd: number): void {
  libc?.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, 0);
}

function connected(libc: Libc, address: string, port: number): Outcome<number> {
  const [host = '', zone = ''] = address.split('%');
  const family = host.includes(':') ? 'ipv6' : 'ipv4';
  const scope = /^\d*$/u.test(zone) ? { ok: true as const, value: Number(zone) } : libc.interfaceIndex(zone);
  if (!scope.ok) return scope;
  const made = libc.socket(family === 'ipv6' ? AF_INET6 : AF_INET, SOCK_DGRAM);
  if (!made.ok) return made;
  setBuffers(libc, made.value, channelBufferBytes);
  const to =
    family === 'ipv6'
      ? encodeSockaddr({ family, address: host, port, scopeId: scope.value })
      : encodeSockaddr({ family, address: host, port });
  const done = libc.connect(made.value, to);
  if (done.ok) return made;
  libc.close(made.value);
  return done;
}
