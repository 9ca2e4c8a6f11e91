// The sockets of DNS as the main thread keeps them: which are opened, what is said of those that cannot be,
// what follows the interfaces, how workers share a port, and what a successor process takes over.

import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { makeSlots } from '#engine';
import { type ListenAddress, parseListenAddresses } from '#contract';
import { loadDatagrams } from './datagrams.ts';
import {
  type DnsListening,
  type DnsSocket,
  DnsSockets,
  freeDnsPort,
  type Interfaces,
  type Libc,
  listenerBufferBytes,
  loadLibc,
} from '#platform/sockets';

const libc = loadLibc();
const skip = libc === undefined;
const datagrams = loadDatagrams(libc);

for (const [name, used] of [
  ['with libc', libc],
  ['without', undefined],
] as const) {
  test(`UDP and TCP of an address share its port, ${name}`, async (context) => {
    const sockets = make(context, used);
    const { open, closed } = await sockets.open(parse('127.0.0.1:0,[::1]:0,127.0.0.9:0'), 2);
    assert.deepEqual(closed, []);
    assert.deepEqual(
      open.map(({ transport, address }) => `${transport} ${address}`),
      ['udp 127.0.0.1', 'udp ::1', 'udp 127.0.0.9', 'tcp 127.0.0.1', 'tcp ::1', 'tcp 127.0.0.9'],
    );
    for (const { address, port, fds, transport } of open) {
      const twin = open.find((other) => other.address === address && other.transport !== transport);
      assert.ok(port > 0 && twin?.port === port);
      assert.equal(fds.length, used === undefined ? 0 : transport === 'udp' ? 2 : 1);
    }
    assert.deepEqual(structuredClone(open), open);
    assert.equal(await sockets.rescan(), undefined);
  });

  test(`an address that cannot be bound is reported and the others work, ${name}`, async (context) => {
    const rival = await openRival(context);
    const sockets = make(context, used);
    const taken = `127.0.0.1:${rival.address().port}`;
    const { open, closed } = await sockets.open(parse(`${taken},127.0.0.8:0,192.0.2.55:5300`), 1);
    assert.deepEqual(
      open.map(({ transport, address }) => `${transport} ${address}`),
      ['udp 127.0.0.8', 'tcp 127.0.0.1', 'tcp 127.0.0.8'],
    );
    assert.match(
      closed[0]?.problem ?? '',
      /^dns\.listen: cannot listen on 127\.0\.0\.1:\d+: the port is taken/u,
    );
    assert.match(closed[1]?.problem ?? '', /no interface has this address/u);
    assert.deepEqual(
      closed.map(({ transport }) => transport),
      ['udp', 'udp', 'tcp'],
    );
    assert.equal(await sockets.rescan(), undefined);
    await once(rival.close(), 'close');
    const again = await sockets.rescan();
    assert.equal(again?.closed.length, 2);
    assert.ok(again.open.some(({ transport, wanted }) => transport === 'udp' && wanted === taken));
  });

  test(`a wildcard follows the interfaces, ${name}`, async (context) => {
    let hosts = ['127.0.0.1', '127.0.0.2'];
    const sockets = make(context, used, () => interfacesWith(hosts));
    const first = await sockets.open(parse('0.0.0.0:0'), 1);
    assert.deepEqual(udpAddresses(first), ['127.0.0.1', '127.0.0.2']);
    assert.deepEqual(tcpAddresses(first), ['127.0.0.1', '127.0.0.2']);
    assert.equal(new Set(first.open.map(({ port }) => port)).size, 1);
    assert.equal(await sockets.rescan(), undefined);
    hosts = ['127.0.0.2', '127.0.0.3'];
    const second = await sockets.rescan();
    assert.ok(second);
    assert.deepEqual(udpAddresses(second), ['127.0.0.2', '127.0.0.3']);
    assert.deepEqual(tcpAddresses(second), ['127.0.0.2', '127.0.0.3']);
    assert.deepEqual(find(second, '127.0.0.2'), find(first, '127.0.0.2'));
    assert.equal(find(second, '127.0.0.3').port, find(first, '127.0.0.1').port);
    // The socket of the removed address is closed, so its port can be bound again.
    await once(createSocketOn(context, find(first, '127.0.0.1')), 'listening');
  });
}

test('a second program can neither bind nor share the port', { skip }, async (context) => {
  const { open } = await make(context, libc).open(parse('127.0.0.1:0'), 1);
  for (const options of [{}, { reuseAddr: true }, { reusePort: true }]) {
    const rival = createSocket({ type: 'udp4', ...options });
    rival.bind(open[0]?.port, '127.0.0.1');
    const [error] = await once(rival, 'error');
    assert.equal(error.code, 'EADDRINUSE');
    rival.close();
  }
});

test('the first socket refuses a port that another program shares', { skip }, async (context) => {
  const rival = await openRival(context, { reusePort: true });
  const { open, closed } = await make(context, libc).open(parse(`127.0.0.1:${rival.address().port}`), 2);
  assert.deepEqual([open.length, closed.length], [1, 1]);
});

test('a burst finds room in the kernel', { skip }, async (context) => {
  const { open } = await make(context, libc).open(parse('127.0.0.1:0'), 2);
  for (const fd of open.find(({ transport }) => transport === 'udp')?.fds ?? []) {
    const socket = createSocket('udp4').bind({ fd: copyOf(libc, fd) });
    context.after(() => socket.close());
    // The kernel tells twice what it was asked for; without privilege it may grant less.
    const least = process.getuid?.() === 0 ? 2 * listenerBufferBytes : 200_000;
    assert.ok(socket.getRecvBufferSize() >= least, String(socket.getRecvBufferSize()));
    assert.ok(socket.getSendBufferSize() >= least, String(socket.getSendBufferSize()));
  }
});

test('queries are spread over the sockets of two workers', { skip }, async (context) => {
  const { open } = await make(context, libc).open(parse('127.0.0.1:0'), 2);
  const socket = open.find(({ transport }) => transport === 'udp');
  assert.ok(socket);
  await sendFromMany(context, socket.port, 64);
  const counts = socket.fds.map(countWaiting);
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 64);
  assert.ok(
    counts.every((count) => count >= 8),
    counts.join(),
  );
});

test('more workers, fewer workers: what stays keeps its queue', { skip }, async (context) => {
  const sockets = make(context, libc);
  const one = find(await sockets.open(parse('127.0.0.1:0'), 1), '127.0.0.1');
  await sendFromMany(context, one.port, 5);
  const three = find(await sockets.open(parse('127.0.0.1:0'), 3), '127.0.0.1');
  assert.deepEqual([three.fds.length, three.fds[0], three.id, three.port], [3, one.fds[0], one.id, one.port]);
  const two = find(await sockets.open(parse('127.0.0.1:0'), 2), '127.0.0.1');
  assert.deepEqual(two.fds, three.fds.slice(0, 2));
  assert.equal(countWaiting(one.fds[0] ?? -1), 5);
});

test('a wildcard opens the addresses that no other program has', { skip }, async (context) => {
  const rival = createServer().listen(0, '127.0.0.2');
  context.after(() => rival.close());
  await once(rival, 'listening');
  // The server was just bound to an address and a port.
  const { port } = rival.address() as AddressInfo;
  const sockets = make(context, libc, () => interfacesWith(['127.0.0.1', '127.0.0.2']));
  const listening = await sockets.open(parse(`*:${port}`), 1);
  assert.deepEqual(udpAddresses(listening), ['127.0.0.1', '127.0.0.2']);
  assert.deepEqual(tcpAddresses(listening), ['127.0.0.1']);
  assert.deepEqual(
    listening.closed.map(({ transport, address }) => `${transport} ${address}`),
    [`tcp 127.0.0.2:${port}`],
  );
});

test('a specific address stays when it becomes part of a wildcard', { skip }, async (context) => {
  const sockets = make(context, libc, () => interfacesWith(['127.0.0.1', '127.0.0.2']));
  const before = await sockets.open(parse('127.0.0.1:0'), 1);
  const { port, fds } = find(before, '127.0.0.1');
  const after = await sockets.open(parse(`*:${port}`), 1);
  assert.deepEqual(after.closed, []);
  assert.deepEqual(find(after, '127.0.0.1').fds, fds);
  assert.ok(
    after.open.some(({ id }) => id === before.open.at(-1)?.id),
    'TCP too',
  );
  assert.deepEqual(udpAddresses(after), ['127.0.0.1', '127.0.0.2']);
});

test('a successor serves the same sockets with the queries that wait in them', { skip }, async (context) => {
  assert.ok(libc);
  const old = make(context, libc, () => interfacesWith(['127.0.0.1', '127.0.0.2']));
  const before = await old.open(parse('0.0.0.0:0'), 2);
  const udp = find(before, '127.0.0.1');
  await sendFromMany(context, udp.port, 20);
  const client = connect(udp.port, '127.0.0.1');
  context.after(() => client.destroy());
  await once(client, 'connect');
  // What inheritance does: other numbers for the same sockets.
  const inherited = before.open.map((one) => ({ ...one, fds: one.fds.map((fd) => copyOf(libc, fd)) }));
  const successor = make(context, libc, () => interfacesWith(['127.0.0.1', '127.0.0.2', '127.0.0.3']));
  successor.adopt(inherited);
  old.close();
  const after = await successor.open(parse('0.0.0.0:0'), 2);
  assert.deepEqual(after.closed, []);
  assert.deepEqual(udpAddresses(after), ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  assert.deepEqual(
    after.open.filter(({ address }) => address !== '127.0.0.3'),
    inherited,
  );
  assert.equal(new Set(after.open.map(({ id }) => id)).size, after.open.length);
  assert.equal(
    find(after, '127.0.0.1')
      .fds.map(countWaiting)
      .reduce((sum, count) => sum + count),
    20,
  );
});

function make(context: TestContext, used: Libc | undefined, interfaces?: () => Interfaces): DnsSockets {
  const sockets = new DnsSockets({ libc: used, setting: 'dns.listen', ...(interfaces && { interfaces }) });
  context.after(() => sockets.close());
  return sockets;
}

function parse(text: string): readonly ListenAddress[] {
  const parsed = parseListenAddresses(text);
  assert.ok(parsed.ok);
  return parsed.addresses;
}

const interfacesWith = (hosts: readonly string[]): Interfaces => ({
  lo: hosts.map((address) => ({
    address,
    family: 'IPv4',
    netmask: '255.0.0.0',
    mac: '',
    internal: true,
    cidr: null,
  })),
});

const udpAddresses = (listening: DnsListening): string[] => addressesOf(listening, 'udp');
const tcpAddresses = (listening: DnsListening): string[] => addressesOf(listening, 'tcp');

const addressesOf = ({ open }: DnsListening, wanted: DnsSocket['transport']): string[] =>
  open.filter(({ transport }) => transport === wanted).map(({ address }) => address);

function find({ open }: DnsListening, address: string): DnsSocket {
  const found = open.find((one) => one.transport === 'udp' && one.address === address);
  assert.ok(found);
  return found;
}

function createSocketOn(context: TestContext, { address, port }: DnsSocket): Socket {
  const socket = createSocket('udp4').bind(port, address);
  context.after(() => socket.close());
  return socket;
}

/** Has a port for UDP that TCP can have. */
async function openRival(context: TestContext, options: { reusePort?: boolean } = {}): Promise<Socket> {
  const port = await freeDnsPort(libc, { family: 'ipv4', host: '127.0.0.1', zone: '', port: 0 });
  const rival = createSocket({ type: 'udp4', ...options }).bind(port, '127.0.0.1');
  await once(rival, 'listening');
  context.after(() => {
    try {
      rival.close();
    } catch {
      // Closed by the test.
    }
  });
  return rival;
}

/** Sends one datagram each from so many ports, for the kernel spreads by port. */
async function sendFromMany(context: TestContext, port: number, count: number): Promise<void> {
  const sent = Array.from({ length: count }, async () => {
    const client = createSocket('udp4');
    context.after(() => client.close());
    const { promise, resolve } = Promise.withResolvers<void>();
    client.send('query', port, '127.0.0.1', () => resolve());
    return promise;
  });
  await Promise.all(sent);
}

function countWaiting(fd: number): number {
  const receiver = datagrams?.receiver(makeSlots(64, 64, true), 'ipv4');
  return receiver?.receive(fd, 0, 64) ?? 0;
}

function copyOf(used: Libc | undefined, fd: number): number {
  const copy = used?.dup(fd);
  assert.ok(copy?.ok);
  return copy.value;
}
