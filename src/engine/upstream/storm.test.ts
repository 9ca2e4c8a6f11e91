import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFromText } from '#wire';
import { Outgoing } from '../net/outgoing.ts';
import type { UdpChannelEvents, UdpPeer } from '../net/udp-channel.ts';
import { createForwarder } from './forwarder.ts';
import { defaultOptions, type ForwarderOptions } from './options.ts';

/** Small and repeatable: a failure names its seed. */
const dice = (seed: number) => {
  let state = seed | 0;
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  };
};

const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
const modes = ['strict', 'fastest', 'parallel'] as const;

/** Upstreams in memory that answer, err, lie, repeat, lose, delay and refuse as the dice fall. */
class Storm {
  nowMs = 1000;
  readonly roll: (below: number) => number;
  readonly outgoing = new Outgoing();
  open = 0;
  asked = 0;
  outcomes = 0;
  twice = 0;
  readonly failures = new Map<string, number>();
  #mail: { readonly atMs: number; readonly deliver: () => void }[] = [];
  readonly #dead = new Set<string>();
  readonly forwarder;

  constructor(seed: number) {
    this.roll = dice(seed);
    this.forwarder = createForwarder(this.#options(), {
      openUdp: (peer, events) => this.#open(peer, events),
      outgoing: this.outgoing,
      nowMs: () => this.nowMs,
      random: (bytes) => {
        for (let at = 0; at < bytes.length; at += 1) bytes[at] = this.roll(256);
      },
      notice: () => undefined,
    });
  }

  step(): void {
    if (this.roll(200) === 0) this.forwarder.setOptions(this.#options());
    if (this.roll(50) === 0) this.#turnOver(addresses[this.roll(4)] ?? '');
    for (let count = this.roll(6); count > 0; count -= 1) this.#ask();
    this.outgoing.flushAll();
    this.pass(this.roll(20));
  }

  pass(ms: number): void {
    this.nowMs += ms;
    const due = this.#mail.filter(({ atMs }) => atMs <= this.nowMs);
    this.#mail = this.#mail.filter(({ atMs }) => atMs > this.nowMs);
    for (const { deliver } of due) deliver();
    this.forwarder.tick(this.nowMs);
  }

  #options(): ForwarderOptions {
    const upstreams = addresses.filter(() => this.roll(3) > 0);
    const fallback = addresses.filter(() => this.roll(4) === 0);
    return { ...defaultOptions, upstreams, fallback, mode: modes[this.roll(3)] ?? 'strict', maxInFlight: 40 };
  }

  #turnOver(address: string): void {
    if (!this.#dead.delete(address)) this.#dead.add(address);
  }

  #ask(depth = 0): void {
    const name = nameFromText(`n${this.roll(1000)}.example`) ?? new Uint8Array(1);
    let isDone = false;
    const done = (failure: string): void => {
      if (isDone) this.twice += 1;
      isDone = true;
      this.outcomes += 1;
      this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
      // The outcome of one question is often the beginning of another.
      if (depth < 2 && this.roll(8) === 0) this.#ask(depth + 1);
    };
    this.asked += 1;
    this.forwarder.forward(
      { name, type: 1, class: 1, dnssecOk: false, checkingDisabled: false },
      { onReply: () => done(''), onFailure: (failure) => done(failure) },
    );
  }

  #open(peer: UdpPeer, events: UdpChannelEvents) {
    if (this.roll(50) === 0) throw new Error('EMFILE');
    this.open += 1;
    let isOpen = true;
    let queue: Uint8Array[] = [];
    return {
      send: (bytes: Uint8Array, start: number, length: number) => {
        queue.push(bytes.slice(start, start + length));
        return true;
      },
      flush: () => {
        const batch = queue;
        queue = [];
        for (const query of batch) this.#answer(peer.address, query, events, () => isOpen);
      },
      close: () => {
        this.open -= 1;
        isOpen = false;
      },
    };
  }

  #answer(address: string, query: Uint8Array, events: UdpChannelEvents, isOpen: () => boolean): void {
    const fate = this.roll(100);
    if (this.#dead.has(address)) {
      if (fate < 20) this.#post(() => isOpen() && events.onUnreachable('ECONNREFUSED'));
      return;
    }
    if (fate < 10) return;
    query[2] = 0x81;
    query[3] = fate < 20 ? 0x82 : 0x80;
    if (fate < 25) query[0] = this.roll(256);
    for (let copies = fate > 90 ? 2 : 1; copies > 0; copies -= 1) {
      this.#post(() => {
        if (isOpen()) events.onDatagram(query, 0, query.length);
        events.onBatchEnd();
      });
    }
  }

  #post(deliver: () => void): void {
    const delayMs = this.roll(10) === 0 ? this.roll(3000) : this.roll(60);
    if (delayMs < 3) deliver();
    else this.#mail.push({ atMs: this.nowMs + delayMs, deliver });
  }
}

for (let seed = 1; seed <= 8; seed += 1) {
  test(`under random faults each question has exactly one outcome and nothing leaks (seed ${seed})`, () => {
    const storm = new Storm(seed);
    for (let step = 0; step < 1500; step += 1) storm.step();
    storm.forwarder.setOptions({ ...defaultOptions, upstreams: [] });
    for (let step = 0; step < 100; step += 1) storm.pass(200);
    assert.equal(storm.outcomes, storm.asked);
    assert.equal(storm.twice, 0);
    assert.deepEqual([storm.forwarder.inFlight, storm.open], [0, 0], 'nothing in flight, no socket open');
    const answered = storm.failures.get('') ?? 0;
    assert.ok(answered > storm.asked / 10, `${answered} of ${storm.asked}`);
  });
}
