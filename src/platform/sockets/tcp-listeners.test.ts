// TCP listeners on real sockets of the loopback interface: which addresses answer, and the messages of
// refusals. A libc that refuses IPv6 sockets, as the kernel does without IPv6, simulates a machine without
// it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import test, { type TestContext } from 'node:test';
import { type Libc, loadLibc } from './libc.ts';
import { AF_INET6 } from './linux-constants.ts';
import { type ListenAddress, parseListenAddresses } from '#contract';
import type { TcpListener } from './listener.ts';
import { attach } from './serve-on.ts';
import { openTcp } from './tcp-listeners.ts';

const libc = loadLibc();
const skip = libc === undefined;
const interfaces = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
  addresses.map((address) => ({ name, ...address })),
);
const skipIpv6 = skip || !interfaces.some(({ address }) => address === '::1');
const linkLocal = interfaces.find(({ address }) => address.startsWith('fe80:'));

test('* answers on both families with one socket', { skip: skipIpv6 }, async (context) => {
  const listener = open(context, '*:0');
  assert.deepEqual([listener.family, listener.address], ['both', '::']);
  await serve(context, listener);
  assert.equal(await ask('127.0.0.1', listener.port), 'hello');
  assert.equal(await ask('::1', listener.port), 'hello');
});

test('an explicit IPv6 address does not include IPv4', { skip: skipIpv6 }, async (context) => {
  const ipv6 = open(context, '[::]:0');
  await serve(context, ipv6);
  const ipv4 = open(context, `0.0.0.0:${ipv6.port}`);
  assert.equal(ipv4.port, ipv6.port);
  assert.equal(await ask('::1', ipv6.port), 'hello');
});

test(
  'a link-local address is bound on its interface',
  { skip: skip || linkLocal === undefined },
  async (context) => {
    assert.ok(linkLocal);
    const address = `${linkLocal.address}%${linkLocal.name}`;
    const listener = open(context, `[${address}]:0`);
    assert.equal(listener.address, address);
    await serve(context, listener);
    assert.equal(await ask(address, listener.port), 'hello');
  },
);

test('without IPv6 * means every IPv4 address', { skip }, async (context) => {
  for (const code of ['EAFNOSUPPORT', 'EADDRNOTAVAIL']) {
    const listener = open(context, '*:0', withoutIpv6(code));
    assert.deepEqual([listener.family, listener.address], ['ipv4', '0.0.0.0']);
    await serve(context, listener);
    assert.equal(await ask('127.0.0.1', listener.port), 'hello');
  }
  assert.equal(refusal('[::1]:0', withoutIpv6('EAFNOSUPPORT')).code, 'EAFNOSUPPORT');
});

test('a port that another program uses is refused', { skip }, async (context) => {
  const { port } = open(context, '127.0.0.1:0');
  const refused = refusal(`127.0.0.1:${port}`);
  assert.equal(refused.code, 'EADDRINUSE');
  assert.equal(
    refused.problem,
    `web.http: cannot listen on 127.0.0.1:${port}: the port is taken by another program (EADDRINUSE). ` +
      'Free it or choose another port.',
  );
  assert.equal(refusal(`*:${port}`).code, 'EADDRINUSE');
});

test('a closed port is free again at once, also in TIME_WAIT', { skip }, async (context) => {
  const first = openRaw('127.0.0.1:0');
  const server = await serve(context, first);
  assert.equal(await ask('127.0.0.1', first.port), 'hello');
  server.close();
  await once(server, 'close');
  close(first);
  assert.equal(open(context, `127.0.0.1:${first.port}`).port, first.port);
});

test('an address that no interface has is refused', { skip }, () => {
  assert.equal(refusal('192.0.2.1:0').code, 'EADDRNOTAVAIL');
  assert.equal(refusal('[fe80::1%no-such-if]:0').code, 'ENODEV');
});

test('a failed opening leaves no descriptor behind', { skip }, (context) => {
  const { port } = open(context, '127.0.0.1:0');
  const before = openRaw('127.0.0.1:0');
  close(before);
  for (let round = 0; round < 50; round += 1) refusal(`127.0.0.1:${port}`);
  const after = openRaw('127.0.0.1:0');
  close(after);
  assert.equal(after.fd, before.fd);
});

function withoutIpv6(code: string): Libc {
  assert.ok(libc);
  const real = libc;
  return {
    ...libc,
    socket: (family, kind) => (family === AF_INET6 ? { ok: false, code } : real.socket(family, kind)),
  };
}

function listenAddress(text: string): ListenAddress {
  const parsed = parseListenAddresses(text);
  assert.ok(parsed.ok && parsed.addresses[0], text);
  return parsed.addresses[0];
}

function openRaw(text: string, calls: Libc | undefined = libc): TcpListener {
  assert.ok(calls);
  const opened = openTcp(calls, listenAddress(text), { setting: 'web.http' });
  assert.ok(opened.ok, opened.ok ? '' : opened.problem);
  return opened.listener;
}

function open(context: TestContext, text: string, calls?: Libc): TcpListener {
  const listener = openRaw(text, calls);
  context.after(() => close(listener));
  return listener;
}

function close({ fd }: TcpListener): void {
  assert.ok(fd !== undefined && libc?.close(fd).ok);
}

function refusal(text: string, calls: Libc | undefined = libc): { code: string; problem: string } {
  assert.ok(calls);
  const opened = openTcp(calls, listenAddress(text), { setting: 'web.http' });
  assert.ok(!opened.ok);
  return opened;
}

async function serve(context: TestContext, listener: TcpListener) {
  const server = createServer((socket) => socket.end('hello'));
  await attach(libc, server, listener);
  context.after(() => server.close());
  return server;
}

async function ask(host: string, port: number): Promise<string> {
  const socket = connect({ host, port });
  const chunks: Buffer[] = await socket.toArray();
  return Buffer.concat(chunks).toString();
}
