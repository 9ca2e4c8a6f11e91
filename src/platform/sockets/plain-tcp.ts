// TCP listeners for machines without libc: no descriptor can be passed on, so this only tries the address,
// reports its problems, chooses a port for port 0 and closes the socket; the thread that serves then listens
// itself. In between another program may take the port, and a dying thread loses its accept queue: the price
// of working without libc.

import { createServer, type ListenOptions } from 'node:net';
import { bindProblem, meansIpv6Missing } from './bind-problem.ts';
import type { Outcome } from './libc.ts';
import { formatListenHost, type ListenAddress } from '#contract';
import { defaultBacklog, type Opened, type TcpListener } from './listener.ts';
import { systemCode } from './system-code.ts';
import type { TcpOptions } from './tcp-listeners.ts';

export async function openTcpPlain(
  address: ListenAddress,
  options: TcpOptions,
): Promise<Opened<TcpListener>> {
  const opened = await tryAddress(address, options.backlog ?? defaultBacklog);
  if (opened.ok) return { ok: true, listener: opened.value };
  return { ok: false, code: opened.code, problem: bindProblem(options.setting, address, opened.code) };
}

async function tryAddress(address: ListenAddress, backlog: number): Promise<Outcome<TcpListener>> {
  if (address.family !== 'both') return tryHost(address, backlog);
  const dual = await tryHost({ ...address, host: '::' }, backlog);
  if (dual.ok || !meansIpv6Missing(dual.code)) return dual;
  return tryHost({ ...address, family: 'ipv4', host: '0.0.0.0' }, backlog);
}

async function tryHost(address: ListenAddress, backlog: number): Promise<Outcome<TcpListener>> {
  const { family } = address;
  const host = formatListenHost(address);
  const tried = await tryPort({ host, port: address.port, ipv6Only: family === 'ipv6' });
  if (!tried.ok) return tried;
  return {
    ok: true,
    value: { kind: 'tcp', fd: undefined, family, address: host, port: tried.value, backlog },
  };
}

async function tryPort(where: ListenOptions): Promise<Outcome<number>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<number>>();
  const server = createServer();
  server.once('error', (error) => resolve({ ok: false, code: systemCode(error) }));
  server.listen(where, () => {
    const bound = server.address();
    const port = bound === null || typeof bound === 'string' ? 0 : bound.port;
    server.close(() => resolve({ ok: true, value: port }));
  });
  return promise;
}
