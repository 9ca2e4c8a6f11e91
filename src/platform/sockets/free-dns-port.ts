// A port for DNS where the setting has port 0: free for UDP and TCP, on every address that the listen address
// stands for. 0 when none was found; then each socket reports its own problem.

import type { ListenAddress } from '#contract';
import { canBind } from './can-bind.ts';
import type { Libc } from './libc.ts';
import { openTcpPlain } from './plain-tcp.ts';
import { openUdpPlain } from './plain-udp.ts';

/** A port that is free for the first kind may be in use for the other; more failures have another cause. */
const maxTries = 16;

export async function freeDnsPort(libc: Libc | undefined, address: ListenAddress): Promise<number> {
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const port = libc === undefined ? await tryPlain(address) : tryBound(libc, address);
    if (port !== 0) return port;
  }
  return 0;
}

function tryBound(libc: Libc, address: ListenAddress): number {
  const found = canBind(libc, address, ['udp', 'tcp']);
  return found.ok ? found.port : 0;
}

async function tryPlain(address: ListenAddress): Promise<number> {
  const tcp = await openTcpPlain(address, { setting: '' });
  if (!tcp.ok) return 0;
  const { family, port } = tcp.listener;
  const concrete = address.family === 'both' ? { ...address, ...anyAddress(family) } : address;
  const udp = await openUdpPlain({ ...concrete, port }, { setting: '', workers: 1 });
  return udp.ok ? port : 0;
}

function anyAddress(family: ListenAddress['family']): Pick<ListenAddress, 'family' | 'host'> {
  return family === 'ipv4' ? { family, host: '0.0.0.0' } : { family: 'ipv6', host: '::' };
}
