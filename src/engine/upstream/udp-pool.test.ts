import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import { nameFromText } from '#wire';
import { Outgoing } from '../net/outgoing.ts';
import type { UdpChannelEvents } from '../net/udp-channel.ts';
import { createForwarder, type UpstreamForwarder } from './forwarder.ts';
import { defaultOptions } from './options.ts';

/** Sockets in memory, so that thousands of questions and minutes of time cost nothing. */
class Network {
  nowMs = 0;
  opened = 0;
  closed = 0;
  sent = 0;
  answers = true;
  isFull = false;
  readonly used = new Set<number>();
  readonly outgoing = new Outgoing();
  readonly late: (() => void)[] = [];

  /** The address that never answers. */
  silent = '';
  readonly forwarder: UpstreamForwarder;

  constructor(maxPorts?: number) {
    this.forwarder = createForwarder(
      { ...defaultOptions, upstreams: ['192.0.2.1'], maxInFlight: 10_000 },
      {
        openUdp: ({ address }, events) => this.#open(address, events),
        outgoing: this.outgoing,
        nowMs: () => this.nowMs,
        random: (bytes) => randomFillSync(bytes),
        maxPorts,
        notice: () => undefined,
      },
    );
  }

  readonly replies: number[] = [];
  readonly failures: string[] = [];

  query(): void {
    const name = nameFromText('www.example') ?? new Uint8Array(1);
    this.forwarder.forward(
      { name, type: 1, class: 1, dnssecOk: false, checkingDisabled: false },
      {
        onReply: ({ bytes }) => this.replies.push((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)),
        onFailure: (failure) => this.failures.push(failure),
      },
    );
  }

  sendInBatches(count: number, batch: number): void {
    for (let at = 0; at < count; at += 1) {
      this.query();
      if (at % batch === batch - 1) this.outgoing.flushAll();
    }
    this.outgoing.flushAll();
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.forwarder.tick(this.nowMs);
  }

  #open(address: string, events: UdpChannelEvents) {
    if (this.isFull) throw new Error('EMFILE');
    const number = (this.opened += 1);
    const queue: Uint8Array[] = [];
    return {
      send: (bytes: Uint8Array, start: number, length: number) => {
        queue.push(bytes.slice(start, start + length));
        this.used.add(number);
        return true;
      },
      flush: () => {
        for (const query of queue.splice(0)) {
          this.sent += 1;
          query[2] = 0x81;
          const deliver = (): void => events.onDatagram(query, 0, query.length);
          if (address === this.silent) continue;
          if (this.answers) deliver();
          else this.late.push(deliver);
        }
      },
      close: () => {
        this.closed += 1;
      },
    };
  }
}

test('at most 256 sockets are open, with any number of batches', () => {
  const network = new Network();
  network.sendInBatches(40_000, 4);
  assert.equal(network.replies.length, 40_000);
  assert.deepEqual([network.opened, network.closed], [256, 0]);
});

test('few questions use nearly as many sockets', () => {
  const network = new Network();
  network.sendInBatches(64, 1);
  assert.ok(network.used.size >= 40, `${network.used.size} sockets for 64 questions`);
});

test('a socket is replaced after 512 questions', () => {
  const network = new Network();
  network.sendInBatches(256 * 512 * 2, 64);
  network.pass(100);
  assert.equal(network.replies.length, 262_144);
  const open = network.opened - network.closed;
  assert.ok(network.opened >= 512 && network.opened <= 768 && open <= 256, `${network.opened} ${open}`);
});

test('all upstreams together use up the socket limit, and each has at least eight', () => {
  const network = new Network(300);
  const upstreams = Array.from({ length: 5 }, (_, at) => `192.0.2.${at + 1}`);
  network.forwarder.setOptions({ ...defaultOptions, upstreams, mode: 'parallel', maxInFlight: 10_000 });
  network.sendInBatches(20_000, 4);
  const open = network.opened - network.closed;
  assert.ok(open >= 300 && open <= 300 + 8 * upstreams.length, `${open} sockets`);
  assert.equal(network.failures.length, 0);
  network.pass(20_000);
  network.pass(20_000);
  assert.ok(network.opened - network.closed <= 2 * upstreams.length, 'only probes are left');
  network.sendInBatches(20_000, 4);
  assert.ok(network.opened - network.closed >= 300, 'what was closed may be opened again');
});

test('a socket is replaced after fifteen seconds, and kept until its last reply', () => {
  const network = new Network();
  network.sendInBatches(10_000, 1);
  for (let second = 0; second < 14; second += 1) {
    network.sendInBatches(1500, 1);
    network.pass(1000);
  }
  assert.deepEqual([network.opened, network.closed], [256, 0]);
  network.answers = false;
  network.sendInBatches(1, 1);
  network.answers = true;
  network.pass(1100);
  assert.equal(network.closed, 255, 'one is waited for');
  network.late[0]?.();
  network.pass(100);
  assert.equal(network.closed, 256);
  assert.equal(network.failures.length, 0);
});

test('idle sockets are closed after ten seconds', () => {
  const network = new Network();
  network.sendInBatches(10_000, 1);
  network.pass(9900);
  assert.equal(network.closed, 0);
  network.pass(200);
  assert.deepEqual([network.opened, network.closed, network.forwarder.inFlight], [256, 256, 0]);
});

test('ids are never used twice at once, with thousands in flight on one socket', () => {
  const network = new Network();
  network.answers = false;
  network.sendInBatches(9000, 9000);
  assert.equal(network.used.size <= 4, true, 'one for the batch, others for repetitions and the probe');
  for (const deliver of network.late) deliver();
  assert.equal(network.replies.length, 9000);
  assert.ok(new Set(network.replies).size === 9000);
  network.pass(3000);
  assert.equal(network.forwarder.inFlight, 0);
});

test('without free sockets questions fail at once and succeed later', () => {
  const network = new Network();
  network.isFull = true;
  network.pass(11_000);
  network.query();
  assert.deepEqual(network.failures, ['unreachable']);
  network.isFull = false;
  network.sendInBatches(1, 1);
  assert.equal(network.replies.length, 1);
});

test('a reply that comes twice counts once', () => {
  const network = new Network();
  network.answers = false;
  network.sendInBatches(1, 1);
  for (const deliver of [...network.late, ...network.late]) deliver();
  assert.equal(network.replies.length, 1);
});

test('64 abandoned attempts are kept, for two seconds', () => {
  const network = new Network();
  network.silent = '192.0.2.2';
  network.forwarder.setOptions({
    ...defaultOptions,
    upstreams: ['192.0.2.1', '192.0.2.2'],
    mode: 'parallel',
    maxInFlight: 10_000,
  });
  network.pass(5100);
  network.sendInBatches(1000, 10);
  assert.equal(network.replies.length, 1000);
  const kept = network.forwarder.inFlight;
  assert.ok(kept >= 64 && kept <= 70, String(kept));
  network.pass(2001);
  assert.ok(network.forwarder.inFlight <= 6, 'at most probes');
});
