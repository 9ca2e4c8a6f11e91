// A process with few file descriptors under a flood of idle connections: DNS, other web clients and the
// control socket are still served.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor } from './running/boot.ts';
import { sendQueryWithRetries, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { until } from './running/waiting.ts';

const descriptors = 256;
const wrap = ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`];
/** main reads the network interfaces every three seconds, which needs a descriptor. */
const lookedAtMs = 3_500;

const openFrom = (localAddress: string, port: number, count: number): readonly Socket[] =>
  Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    socket.write('GET /api/health HTTP/1.1\r\nX-Never-Ends: ');
    return socket;
  });

test('640 idle connections on 256 descriptors: DNS and other clients are served', async (t) => {
  const env = { ...dnsEnvironment(9), SLUICE_DNS_WORKERS: '2' };
  const service = await bootFor(t, { wrap, env });
  const port = await dnsPort(service);
  const isServed = async (): Promise<true | undefined> => {
    const reply = await service.call('GET', '/api/health').catch(() => undefined);
    return reply?.status === 200 ? true : undefined;
  };

  const ofOne = openFrom('127.0.0.2', service.httpPort, descriptors);
  await service.logged(/A connection to the web interface was refused: 127\.0\.0\.2 has 32 open/);
  assert.ok(await isServed(), 'One client blocks the others.');

  const addresses = Array.from({ length: 10 }, (_none, index) => `127.0.0.${index + 3}`);
  const ofMany = addresses.flatMap((address) => openFrom(address, service.httpPort, descriptors / 4));
  await sleep(lookedAtMs);
  assert.equal(await sendQueryWithRetries(port, localName), 0);
  assert.equal(service.hasEnded(), false);
  assert.equal((await service.call('GET', '/api/health', { via: 'control' })).status, 200);

  for (const socket of [...ofOne, ...ofMany]) socket.destroy();
  await until('Other clients are served again', isServed);
});
