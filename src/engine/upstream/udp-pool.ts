// The UDP sockets to one upstream. Several are open at once, each with a random port of its own and for a
// limited time, and the queries of one batch leave together on one of them, chosen anew for each batch: the
// port is as hard to guess as RFC 5452 wants, and a burst is still one system call.

import { u16 } from '#wire';
import type { Outgoing, Sender } from '../net/outgoing.ts';
import type { OpenUdpChannel, UdpChannel, UdpChannelEvents, UdpPeer } from '../net/udp-channel.ts';
import type { Attempt, Way } from './exchange.ts';
import { Fit, fitOf, writeId } from './question-bytes.ts';
import type { RandomBits } from './random-bits.ts';

const channelsMax = 8;
const queriesPerChannel = 4096;
const channelLifeMs = 60_000;
const channelIdleMs = 10_000;
/** Draws of an id that is free on the channel; with thousands in flight the second is practically sure. */
const idDrawsMax = 32;

export interface PoolParts {
  readonly openUdp: OpenUdpChannel;
  readonly outgoing: Outgoing;
  readonly random: RandomBits;
  readonly onReply: (attempt: Attempt, fit: number, bytes: Uint8Array, start: number, length: number) => void;
  readonly onBroken: (attempt: Attempt, wasUdp: boolean) => void;
  /** After the last datagram of a wake-up and after an error: what was put together may be sent. */
  readonly onBatchEnd: () => void;
}

export class UdpPool implements Sender {
  readonly #peer: UdpPeer;
  readonly #parts: PoolParts;
  readonly #channels: (PooledChannel | undefined)[] = Array.from({ length: channelsMax }, () => undefined);
  readonly #retired = new Set<PooledChannel>();
  /** The one that takes the queries of the batch under way. */
  #current: PooledChannel | undefined;

  constructor(peer: UdpPeer, parts: PoolParts) {
    this.#peer = peer;
    this.#parts = parts;
  }

  /** Takes the attempt's bytes with an id of its own; false when no socket can be opened. */
  send(attempt: Attempt, nowMs: number): boolean {
    const channel = this.#current ?? this.#choose(nowMs);
    return channel !== undefined && channel.take(attempt, this.#parts.random, nowMs);
  }

  mark(channel: PooledChannel): void {
    if (this.#current === channel) return;
    // A repeated query goes out where its id is known, beside the batch's channel.
    this.#parts.outgoing.mark(channel);
  }

  flush(): void {
    const channel = this.#current;
    this.#current = undefined;
    channel?.flush();
  }

  tick(nowMs: number): void {
    for (let place = 0; place < channelsMax; place += 1) {
      const channel = this.#channels[place];
      if (channel !== undefined && channel.isWorn(nowMs)) this.#retire(place, channel);
    }
    for (const channel of this.#retired) if (channel.isQuiet) this.#close(channel);
  }

  /** An error was told for the channel: what is in flight on it has failed, and its port is given up. */
  broken(channel: PooledChannel, code: string): void {
    const place = this.#channels.indexOf(channel);
    if (place >= 0) this.#retire(place, channel);
    channel.failAll(code);
    this.#parts.onBatchEnd();
  }

  get isQuiet(): boolean {
    return [...this.#channels, ...this.#retired].every((channel) => channel?.isQuiet ?? true);
  }

  /** Closes all sockets and hands out what was in flight on them. */
  takeAll(): Attempt[] {
    const lost = [...this.#channels, ...this.#retired].flatMap((channel) => channel?.takeAll() ?? []);
    this.close();
    return lost;
  }

  close(): void {
    for (const channel of [...this.#channels, ...this.#retired]) channel?.close();
    this.#channels.fill(undefined);
    this.#retired.clear();
    this.#current = undefined;
  }

  #choose(nowMs: number): PooledChannel | undefined {
    const place = this.#parts.random.below(channelsMax);
    let channel = this.#channels[place];
    if (channel !== undefined && channel.isWorn(nowMs)) {
      this.#retire(place, channel);
      channel = undefined;
    }
    channel ??= this.#open(nowMs) ?? this.#channels.find((other) => other !== undefined);
    if (channel === undefined) return undefined;
    if (!this.#channels.includes(channel)) this.#channels[place] = channel;
    this.#current = channel;
    this.#parts.outgoing.mark(this);
    return channel;
  }

  /** Undefined when the system gives no socket (too many are open, or there is no route at all). */
  #open(nowMs: number): PooledChannel | undefined {
    try {
      return new PooledChannel(this, this.#peer, this.#parts, nowMs);
    } catch {
      return undefined;
    }
  }

  /** Not chosen any more; open until its last reply has come or was given up. */
  #retire(place: number, channel: PooledChannel): void {
    this.#channels[place] = undefined;
    if (this.#current === channel) this.flush();
    this.#retired.add(channel);
  }

  #close(channel: PooledChannel): void {
    this.#retired.delete(channel);
    channel.close();
  }
}

class PooledChannel implements Way, Sender {
  readonly isUdp = true;
  readonly #pool: UdpPool;
  readonly #parts: PoolParts;
  readonly #channel: UdpChannel;
  readonly #byId = new Map<number, Attempt>();
  readonly #openedMs: number;
  #usedMs: number;
  #sent = 0;
  #isClosed = false;

  constructor(pool: UdpPool, peer: UdpPeer, parts: PoolParts, nowMs: number) {
    this.#pool = pool;
    this.#parts = parts;
    this.#openedMs = nowMs;
    this.#usedMs = nowMs;
    const events: UdpChannelEvents = {
      onDatagram: (bytes, start, length) => this.#read(bytes, start, length),
      onBatchEnd: parts.onBatchEnd,
      onUnreachable: (code) => this.#pool.broken(this, code),
    };
    this.#channel = parts.openUdp(peer, events);
  }

  isWorn(nowMs: number): boolean {
    if (this.#sent >= queriesPerChannel || nowMs - this.#openedMs >= channelLifeMs) return true;
    return nowMs - this.#usedMs >= channelIdleMs && this.isQuiet;
  }

  get isQuiet(): boolean {
    return this.#byId.size === 0;
  }

  take(attempt: Attempt, random: RandomBits, nowMs: number): boolean {
    let id = random.word();
    for (let draw = 0; this.#byId.has(id); draw += 1) {
      if (draw === idDrawsMax) return false;
      id = random.word();
    }
    attempt.id = id;
    writeId(attempt.bytes, id);
    this.#sent += 1;
    this.#usedMs = nowMs;
    if (!this.#channel.send(attempt.bytes, 0, attempt.length)) return false;
    attempt.way = this;
    this.#byId.set(id, attempt);
    return true;
  }

  resend(attempt: Attempt): boolean {
    this.#pool.mark(this);
    return this.#channel.send(attempt.bytes, 0, attempt.length);
  }

  forget(attempt: Attempt): void {
    this.#byId.delete(attempt.id);
    attempt.way = undefined;
  }

  takeAll(): Attempt[] {
    const lost = [...this.#byId.values()];
    this.#byId.clear();
    for (const attempt of lost) attempt.way = undefined;
    return lost;
  }

  failAll(code: string): void {
    for (const attempt of this.takeAll()) {
      // One that has a way again was taken out of the pool for another question meanwhile.
      if (attempt.way !== undefined) continue;
      if (attempt.upstream !== undefined) attempt.upstream.lastError = code;
      this.#parts.onBroken(attempt, true);
    }
  }

  /** May come late: whoever collects senders does not hear that one was closed. */
  flush(): void {
    if (!this.#isClosed) this.#channel.flush();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#channel.close();
  }

  /** The socket is connected, so the source is the peer; what does not fit is ignored, the wait goes on. */
  #read(bytes: Uint8Array, start: number, length: number): void {
    if (length < 2) return;
    const attempt = this.#byId.get(u16(bytes, start));
    if (attempt === undefined) return;
    const fit = fitOf(attempt.bytes, attempt.nameEnd, bytes, start, length);
    if (fit !== Fit.none) this.#parts.onReply(attempt, fit, bytes, start, length);
  }
}
