// UDP sockets for machines without libc: no descriptor can be passed on, so this only tries the address,
// reports its problems, chooses a port for port 0 and closes the socket; the first worker then listens
// itself. In between another program may take the port, and a dying thread loses its queue.

import { createSocket } from 'node:dgram';
import { formatListenHost, type ListenAddress } from '#contract';
import { bindProblem } from './bind-problem.ts';
import type { Outcome } from './libc.ts';
import { systemCode } from './system-code.ts';
import type { OpenedUdp, UdpOptions } from './udp-listeners.ts';

export async function openUdpPlain(address: ListenAddress, { setting }: UdpOptions): Promise<OpenedUdp> {
  const host = formatListenHost(address);
  const family = address.family === 'ipv6' ? 'ipv6' : 'ipv4';
  const tried = await tryPort(family, host, address.port);
  if (tried.ok) return { ok: true, sockets: { family, address: host, port: tried.value, fds: [] } };
  return { ok: false, code: tried.code, problem: bindProblem(setting, address, tried.code) };
}

async function tryPort(family: 'ipv4' | 'ipv6', host: string, port: number): Promise<Outcome<number>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<number>>();
  const socket = createSocket({ type: family === 'ipv6' ? 'udp6' : 'udp4', ipv6Only: family === 'ipv6' });
  socket.once('error', (error) => {
    socket.close();
    resolve({ ok: false, code: systemCode(error) });
  });
  socket.bind(port, host, () => {
    const bound = socket.address().port;
    socket.close(() => resolve({ ok: true, value: bound }));
  });
  return promise;
}
