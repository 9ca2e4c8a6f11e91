// The listeners for machines without libc, which listen by address: the same cases as for those with libc.

import assert from 'node:assert/strict';
import { createServer, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import test, { type TestContext } from 'node:test';
import { type ListenAddress, parseListenAddresses } from '#contract';
import { openTcpPlain } from './plain-tcp.ts';
import { attach } from './serve-on.ts';

const addresses = Object.values(networkInterfaces()).flatMap((found = []) =>
  found.map(({ address }) => address),
);
const skipIpv6 = !addresses.includes('::1');

test('port 0 becomes a real port, on which the thread listens', async (context) => {
  const port = await serve(context, '127.0.0.1:0');
  assert.ok(port > 0);
  assert.equal(await ask('127.0.0.1', port), 'hello');
});

test('* answers on both families', { skip: skipIpv6 }, async (context) => {
  const port = await serve(context, '*:0');
  assert.equal(await ask('127.0.0.1', port), 'hello');
  assert.equal(await ask('::1', port), 'hello');
});

test('an explicit IPv6 address does not include IPv4', { skip: skipIpv6 }, async (context) => {
  const port = await serve(context, '[::]:0');
  assert.equal(await serve(context, `0.0.0.0:${port}`), port);
});

test('refusals name the setting, the address and the reason', async (context) => {
  const port = await serve(context, '127.0.0.1:0');
  const taken = await openTcpPlain(listenAddress(`127.0.0.1:${port}`), { setting: 'web.http' });
  assert.ok(!taken.ok);
  assert.match(
    taken.problem,
    /^web\.http: cannot listen on 127\.0\.0\.1:\d+: the port is taken .*EADDRINUSE/u,
  );
  const foreign = await openTcpPlain(listenAddress('192.0.2.1:0'), { setting: 'web.http' });
  assert.equal(foreign.ok ? '' : foreign.code, 'EADDRNOTAVAIL');
});

function listenAddress(text: string): ListenAddress {
  const parsed = parseListenAddresses(text);
  assert.ok(parsed.ok && parsed.addresses[0], text);
  return parsed.addresses[0];
}

async function serve(context: TestContext, text: string): Promise<number> {
  const opened = await openTcpPlain(listenAddress(text), { setting: 'web.http' });
  assert.ok(opened.ok, opened.ok ? '' : opened.problem);
  assert.equal(opened.listener.fd, undefined);
  const server = createServer((socket) => socket.end('hello'));
  await attach(undefined, server, opened.listener);
  context.after(() => server.close());
  return opened.listener.port;
}

async function ask(host: string, port: number): Promise<string> {
  const chunks: Buffer[] = await connect({ host, port }).toArray();
  return Buffer.concat(chunks).toString();
}
