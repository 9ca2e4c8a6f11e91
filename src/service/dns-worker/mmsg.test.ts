// Batches of datagrams through the real calls, and the errors that the system gives in the middle of one:
// what it refuses is left out, what it has no room for is dropped, and the rest goes.

import assert from 'node:assert/strict';
import { constants } from 'node:os';
import test, { type TestContext } from 'node:test';
import { makeSlots, type Family, type SlotMemory } from '#engine';
import { bindSocket, decodeSockaddr, encodeSockaddr, loadLibc } from '#platform/sockets';
import { loadDatagrams } from './datagrams.ts';
import { MmsgReceiver, MmsgTransmitter, type MmsgCalls } from './mmsg.ts';

const libc = loadLibc();
const datagrams = loadDatagrams(libc);
const skip = libc === undefined;

const families: readonly (readonly [Family, string])[] = [
  ['ipv4', '127.0.0.1'],
  ['ipv6', '::1'],
];

for (const [family, host] of families) {
  test(`a batch goes out and comes in, ${family}`, { skip }, (context) => {
    const [from, to] = [bind(context, family, host), bind(context, family, host)];
    const out = fill(Array.from({ length: 64 }, () => [family, host, to.port]));
    assert.equal(datagrams?.transmitter(out, family).send(from.fd, 64), 64);
    const inbox = makeSlots(64, 32, true);
    const receiver = datagrams?.receiver(inbox, family);
    assert.equal(receiver?.receive(to.fd, 1, 63), 63);
    assert.equal(receiver.receive(to.fd, 0, 64), 1);
    assert.equal(receiver.receive(to.fd, 0, 64), 0);
    assert.equal(textOf(inbox, 0), 'datagram 63');
    assert.equal(textOf(inbox, 2), 'datagram 1');
    const peer = decodeSockaddr(inbox.peers?.subarray(32, 64) ?? new Uint8Array());
    assert.ok(peer !== undefined && peer.family === family);
    assert.deepEqual([peer.address, peer.port], [host, from.port]);
  });
}

test('a datagram that the kernel refuses is skipped at any place in the batch', { skip }, (context) => {
  const [from, to] = [bind(context, 'ipv4', '127.0.0.1'), bind(context, 'ipv4', '127.0.0.1')];
  for (const bad of [[0], [4], [2], [0, 1], [3, 4], [1, 3], [0, 1, 2, 3, 4]]) {
    // Port 0 is EINVAL, a broadcast address without permission EACCES.
    const peers = [0, 1, 2, 3, 4].map((slot) => peerOf(bad.includes(slot), slot, to.port));
    const transmitter = datagrams?.transmitter(fill(peers), 'ipv4');
    assert.equal(transmitter?.send(from.fd, 5), 5 - bad.length);
    assert.match(transmitter.problem, /^(?:EINVAL|EACCES)$/u);
    const inbox = makeSlots(64, 32, true);
    assert.equal(datagrams?.receiver(inbox, 'ipv4').receive(to.fd, 0, 64), 5 - bad.length);
    const good = [0, 1, 2, 3, 4].filter((slot) => !bad.includes(slot));
    assert.deepEqual(
      good.map((_, slot) => textOf(inbox, slot)),
      good.map((slot) => `datagram ${slot}`),
    );
  }
});

test('a connected socket reports an unreachable peer, and sends the rest', { skip }, (context) => {
  assert.ok(libc && datagrams);
  // A port that was free a moment ago.
  const gone = bindSocket(libc, 'udp', { family: 'ipv4', host: '127.0.0.1', zone: '', port: 0 });
  assert.ok(gone.ok && libc.close(gone.value.fd).ok);
  const made = datagrams.connect('127.0.0.1', gone.value.port);
  assert.ok(made.ok);
  context.after(() => libc.close(made.fd));
  const transmitter = datagrams.transmitter(fill([['ipv4', '127.0.0.1', 1]], false), 'ipv4');
  assert.deepEqual([transmitter.send(made.fd, 1), transmitter.problem], [1, '']);
  const receiver = datagrams.receiver(makeSlots(64, 32, false), 'ipv4');
  assert.deepEqual([receiver.receive(made.fd, 0, 64), receiver.problem], [-1, 'ECONNREFUSED']);
  assert.equal(transmitter.send(made.fd, 1), 1);
  assert.deepEqual([transmitter.send(made.fd, 1), transmitter.problem], [1, 'ECONNREFUSED']);
});

interface Script {
  readonly name: string;
  /** What sendmmsg answers in turn: how many went, or an error. */
  readonly results: readonly (number | keyof typeof constants.errno)[];
  readonly sent: number;
  readonly problem: string;
}

const scripts: readonly Script[] = [
  { name: 'all at once', results: [5], sent: 5, problem: '' },
  { name: 'in three steps', results: [2, 2, 1], sent: 5, problem: '' },
  { name: 'no room from the third on', results: [2, 'EAGAIN'], sent: 2, problem: 'EAGAIN' },
  { name: 'no buffers at all', results: ['ENOBUFS'], sent: 0, problem: 'ENOBUFS' },
  { name: 'interrupted twice', results: ['EINTR', 'EINTR', 5], sent: 5, problem: '' },
  { name: 'one refused', results: [1, 'EPERM', 'EPERM', 3], sent: 4, problem: 'EPERM' },
  { name: 'an error of an earlier one', results: ['ECONNREFUSED', 5], sent: 5, problem: 'ECONNREFUSED' },
  {
    name: 'all too long',
    results: Array.from({ length: 10 }, () => 'EMSGSIZE'),
    sent: 0,
    problem: 'EMSGSIZE',
  },
];

for (const { name, results, sent, problem } of scripts) {
  test(`sending: ${name}`, () => {
    const calls = scripted(results);
    const transmitter = new MmsgTransmitter(calls, makeSlots(8, 16, true), 'ipv4');
    assert.deepEqual([transmitter.send(3, 5), transmitter.problem], [sent, problem]);
    assert.equal(calls.left(), 0);
  });
}

test('a call that is always interrupted ends', () => {
  const always = Array.from({ length: 100 }, () => 'EINTR' as const);
  assert.equal(new MmsgTransmitter(scripted(always), makeSlots(8, 16, true), 'ipv4').send(3, 5), 0);
  assert.equal(new MmsgReceiver(scripted(always), makeSlots(8, 16, true), 'ipv4').receive(3, 0, 5), 0);
});

function scripted(results: Script['results']): MmsgCalls & { left(): number } {
  let [next, errno] = [0, 0];
  const call = () => {
    const result = results[next] ?? assert.fail('called too often');
    next += 1;
    if (typeof result === 'number') return result;
    errno = constants.errno[result];
    return -1;
  };
  return {
    recvmmsg: call,
    sendmmsg: call,
    errno: () => errno,
    address: () => 4096,
    left: () => results.length - next,
  };
}

type Peer = readonly [Family, string, number];

const peerOf = (isBad: boolean, slot: number, port: number): Peer => {
  if (!isBad) return ['ipv4', '127.0.0.1', port];
  return slot % 2 === 0 ? ['ipv4', '127.0.0.1', 0] : ['ipv4', '255.255.255.255', port];
};

function fill(peers: readonly Peer[], withPeers = true): SlotMemory {
  const memory = makeSlots(peers.length, 32, withPeers);
  for (const [slot, [family, address, port]] of peers.entries()) {
    const text = Buffer.from(`datagram ${slot}`);
    memory.bytes.set(text, slot * 32);
    memory.lengths[slot] = text.length;
    const sockaddr = family === 'ipv4' ? { family, address, port } : { family, address, port, scopeId: 0 };
    memory.peers?.set(encodeSockaddr(sockaddr), slot * 32);
  }
  return memory;
}

const textOf = ({ bytes, lengths }: SlotMemory, slot: number): string =>
  Buffer.from(bytes.subarray(slot * 32, slot * 32 + (lengths[slot] ?? 0))).toString();

function bind(context: TestContext, family: Family, host: string): { fd: number; port: number } {
  assert.ok(libc);
  const bound = bindSocket(libc, 'udp', { family, host, zone: '', port: 0 });
  assert.ok(bound.ok);
  context.after(() => libc.close(bound.value.fd));
  return bound.value;
}
