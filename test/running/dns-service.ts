// A service that answers DNS on loopback, with one local record and an upstream that the test runs.

import { createSocket, type RemoteInfo } from 'node:dgram';
import { on } from 'node:events';
import type { TestContext } from 'node:test';

import { bootFor, type BootOptions, type Service } from './boot.ts';
import { query } from './dns-load.ts';
import { at, listAt } from './reply.ts';

export type DnsService = { readonly service: Service; readonly port: number };

export const localName = 'nas.lan';

export const dnsEnvironment = (upstreamPort: number): Readonly<Record<string, string>> => ({
  SLUICE_WEB_HTTPS: '',
  SLUICE_DNS_LISTEN: '127.0.0.1:0',
  SLUICE_DNS_HOSTS: `192.0.2.7 ${localName}`,
  SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstreamPort}`,
  SLUICE_DNS_WORKERS: '1',
});

export const bootWithDns = async (t: TestContext, options: BootOptions): Promise<DnsService> => {
  const service = await bootFor(t, options);
  return { service, port: await dnsPort(service) };
};

export const dnsPort = async (service: Service): Promise<number> => {
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  const row = listAt(body, 'status', 'listeners').find((one) => at(one, 'setting') === 'dns.listen');
  return Number(at(row, 'port') ?? 0);
};

/** Longer than any machine needs for an answer; an answer that never comes still fails the test. */
export const patienceMs = 20_000;
const maxTries = 10;
const againAfterMs = 2_000;

/** The response code; undefined without an answer in time. */
export const sendQuery = async (
  port: number,
  name: string,
  maxMs = patienceMs,
): Promise<number | undefined> => {
  const socket = createSocket('udp4');
  try {
    const arriving = on(socket, 'message', { signal: AbortSignal.timeout(maxMs) });
    socket.send(query(7, name), port, '127.0.0.1');
    // A datagram socket emits these two arguments.
    for await (const [answer, from] of arriving as AsyncIterable<[Buffer, RemoteInfo]>)
      // Another service may send a late answer to a previous user of this port.
      if (from.port === port) return (answer[3] ?? 0) & 15;
    return undefined;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
};

/** The same with retries, as clients do when a full buffer has dropped their query. */
export const sendQueryWithRetries = async (port: number, name: string): Promise<number | undefined> => {
  for (let tries = 0; tries < maxTries; tries++) {
    const code = await sendQuery(port, name, againAfterMs);
    if (code !== undefined) return code;
  }
  return undefined;
};
