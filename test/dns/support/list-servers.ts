// HTTP servers for lists on every address of another network namespace, and a DNS server that resolves their
// names. This file is also the program that runs there. A path below /to/ redirects to the address that it
// names; every other path except /asked serves a list. /asked returns all requests so far, with the address
// that received each.

import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';

import { startWithin } from '../../running/namespace.ts';
import { runTool } from './clients.ts';

export const listPort = 8080;
export const dnsPort = 5300;
/** Resolves to `publicAddress` for the first query and to loopback afterwards. */
export const rebindingName = 'rebinding.test';
export const publicAddress = '198.51.100.1';

export type ListServers = {
  /** All requests so far, each as `address path`. */
  readonly asked: () => Promise<readonly string[]>;
};

export const startListServers = async (t: TestContext, wrap: readonly string[]): Promise<ListServers> => {
  await startWithin(t, wrap, import.meta.filename);
  return {
    asked: async () => {
      const fetching = `fetch('http://127.0.0.1:${listPort}/asked').then((r) => r.text()).then(console.log)`;
      return JSON.parse(await runTool(wrap, process.execPath, ['-e', fetching]));
    },
  };
};

/** `192-168-7-1.test` resolves to 192.168.7.1. */
export const nameOf = (address: string): string => `${address.replaceAll('.', '-')}.test`;

function serveLists(): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const path = request.url ?? '/';
    if (path === '/asked') return void reply.end(JSON.stringify(asked));
    asked.push(`${request.socket.localAddress} ${path}`);
    const location = /^\/to\/(.+)$/u.exec(path)?.[1];
    if (location === undefined) return void reply.end('ads.example\n');
    return void reply.writeHead(302, { location: decodeURIComponent(location) }).end();
  });
  return new Promise((ready) => void server.listen(listPort, '0.0.0.0', ready));
}

function serveNames(): Promise<void> {
  let rebound = 0;
  const addressOf = (name: string): string => {
    if (name === rebindingName) return rebound++ === 0 ? publicAddress : '127.0.0.1';
    return name.replace(/\.test$/u, '').replaceAll('-', '.');
  };
  const socket = createSocket('udp4', (bytes, from) => {
    const { id, questions = [] } = decode(bytes);
    const [{ name, type } = { name: '', type: 'AAAA' }] = questions;
    const data = type === 'A' ? addressOf(name.toLowerCase()) : '';
    const answers = data === '' ? [] : [{ type: 'A', name, ttl: 0, data } as const];
    const reply = encode({ type: 'response', id, flags: RECURSION_AVAILABLE, questions, answers });
    socket.send(reply, from.port, from.address);
  });
  return new Promise((ready) => void socket.bind(dnsPort, '127.0.0.1', ready));
}

if (import.meta.main) {
  await Promise.all([serveLists(), serveNames()]);
  console.log('ready');
}
