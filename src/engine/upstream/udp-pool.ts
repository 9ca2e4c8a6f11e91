// The UDP sockets to one upstream. Up to 256 are open at once, each with a random port of its own and for
// some seconds, and the queries of one batch leave together on one of them, chosen anew for each batch: the
// port is as hard to guess as RFC 5452 wants, and a burst is still one system call. Where few questions are
// asked, nearly each has a new port; where many are, sockets are used again, because opening one costs more
// than a question does.

import { u16 } from '#wire';
import type { Outgoing, Sender } from '../net/outgoing.ts';
import type { OpenUdpChannel, UdpChannel, UdpChannelEvents, UdpPeer } from '../net/udp-channel.ts';
import type { Attempt, Way } from './exchange.ts';
import { Fit, fitOf, writeId } from './question-bytes.ts';
import type { RandomBits } from './random-bits.ts';

const maxChannels = 256;
/** As many as an upstream may have when others have used up what there is for all. */
const channelsLeast = 8;
const queriesPerChannel = 512;
const channelLifeMs = 15_000;
const channelIdleMs = 10_000;
/** Draws of an id that is free on the channel; with thousands in flight the second is practically sure. */
const maxIdDraws = 32;

/** Sockets of all upstreams together. */
interface PortBudget {
  open: number;
  readonly most: number;
}

export interface PoolParts {
  readonly ports: PortBudget;
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
  readonly #channels: (PooledChannel | undefined)[] = Array.from({ length: maxChannels }, () => undefined);
  readonly #retired = new Set<PooledChannel>();
  /** Those that may be chosen. */
  #count = 0;
  /** The one that takes the queries of the batch under way. */
  #current: PooledChannel | undefined;

  constructor(peer: UdpPeer, parts: PoolParts) {
    this.#peer = peer;
    this.#parts = parts;
  }

  /** Takes the attempt's bytes with an id of its own; false when no socket can be opened. */
  send(attempt: Attempt, nowMs: number): boolean {
    const channel = this.#current ?? this.#choose(nowMs);
    return channel !== undefined && channel.send(attempt, this.#parts.random, nowMs);
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
    for (let place = 0; place < maxChannels; place += 1) {
      const channel = this.#channels[place];
      if (channel !== undefined && channel.isWorn(nowMs)) this.#retire(place, channel);
    }
    for (const channel of this.#retired) if (channel.isQuiet) this.#close(channel);
  }

  /**
   * The system reported an error for the channel: what is in flight on it has failed, and its port is given
   * up.
   */
  broken(channel: PooledChannel, code: string): void {
    const place = this.#channels.indexOf(channel);
    if (place >= 0) this.#retire(place, channel);
    channel.failAll(code);
    this.#parts.onBatchEnd();
  }

  get isQuiet(): boolean {
    return this.#all().every((channel) => channel.isQuiet);
  }

  /** Closes all sockets and hands out what was in flight on them. */
  removeAll(): Attempt[] {
    const lost = this.#all().flatMap((channel) => channel.removeAll());
    this.close();
    return lost;
  }

  close(): void {
    for (const channel of this.#all()) channel.close();
    this.#channels.fill(undefined);
    this.#count = 0;
    this.#retired.clear();
    this.#current = undefined;
  }

  #choose(nowMs: number): PooledChannel | undefined {
    const place = this.#parts.random.below(maxChannels);
    const known = this.#channels[place];
    if (known !== undefined && known.isWorn(nowMs)) this.#retire(place, known);
    const channel = this.#channels[place] ?? this.#open(place, nowMs) ?? this.#nextTo(place);
    if (channel === undefined) return undefined;
    this.#current = channel;
    this.#parts.outgoing.mark(this);
    return channel;
  }

  /** Undefined when there are enough, or the system gives no socket (or has no route at all). */
  #open(place: number, nowMs: number): PooledChannel | undefined {
    const { ports } = this.#parts;
    if (ports.open >= ports.most && this.#count >= channelsLeast) return undefined;
    try {
      const channel = new PooledChannel(this, this.#peer, this.#parts, nowMs);
      this.#channels[place] = channel;
      this.#count += 1;
      return channel;
    } catch {
      return undefined;
    }
  }

  #nextTo(place: number): PooledChannel | undefined {
    for (let step = 1; step < maxChannels; step += 1) {
      const channel = this.#channels[(place + step) % maxChannels];
      if (channel !== undefined) return channel;
    }
    return undefined;
  }

  #all(): PooledChannel[] {
    return [...this.#channels, ...this.#retired].filter((channel) => channel !== undefined);
  }

  /** Not chosen any more; open until its last reply has come or was given up. */
  #retire(place: number, channel: PooledChannel): void {
    this.#channels[place] = undefined;
    this.#count -= 1;
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
    parts.ports.open += 1;
  }

  isWorn(nowMs: number): boolean {
    if (this.#sent >= queriesPerChannel || nowMs - this.#openedMs >= channelLifeMs) return true;
    return nowMs - this.#usedMs >= channelIdleMs && this.isQuiet;
  }

  get isQuiet(): boolean {
    return this.#byId.size === 0;
  }

  send(attempt: Attempt, random: RandomBits, nowMs: number): boolean {
    let id = random.word();
    for (let draw = 0; this.#byId.has(id); draw += 1) {
      if (draw === maxIdDraws) return false;
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

  removeAll(): Attempt[] {
    const lost = [...this.#byId.values()];
    this.#byId.clear();
    for (const attempt of lost) attempt.way = undefined;
    return lost;
  }

  failAll(code: string): void {
    for (const attempt of this.removeAll()) {
      // One that has a way again was taken out of the pool for another question meanwhile.
      if (attempt.way !== undefined) continue;
      if (attempt.upstream !== undefined) attempt.upstream.lastError = code;
      this.#parts.onBroken(attempt, true);
    }
  }

  /** May be called after `close`: Outgoing does not remove a sender that was closed. */
  flush(): void {
    if (!this.#isClosed) this.#channel.flush();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.ports.open -= 1;
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
