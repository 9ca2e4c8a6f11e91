// One upstream: its address, its health, what was learned about it, and the ways to ask it. Plain DNS has a
// pool of UDP sockets and a TCP connection for what is truncated; the others have one kept connection.

import type { ExchangeUpstream, Attempt, CaseHabit } from './exchange.ts';
import { Health, maxHedgeMs } from './health.ts';
import type { UpstreamAddress } from './parse-upstream.ts';
import { copyMixed, withoutOpt } from './question-bytes.ts';
import { UdpPool } from './udp-pool.ts';
import { WaitingRoom } from './waiting-room.ts';
import type { Connection, UpstreamParts } from './upstream-parts.ts';

const exactRepliesToTrust = 3;
/** Longer than a question lives that began with the options of before. */
const lingerMs = 10_000;

export class Upstream implements ExchangeUpstream {
  readonly index: number;
  readonly address: UpstreamAddress;
  readonly health = new Health();
  readonly #parts: UpstreamParts;
  readonly #waiting: WaitingRoom;
  isLoop = false;
  loopCheckAtMs = -Infinity;
  /** A notice said that it is down. */
  isReported = false;
  reportedAtMs = -Infinity;
  /** Named by the options in force. */
  isWanted = true;
  caseHabit: CaseHabit = 'unknown';
  #exactReplies = 0;
  isPlainOnly = false;
  detached = 0;
  lastError = '';
  #peerAddress: string | undefined;
  #unwantedAtMs = 0;
  #isClosed = false;
  #pool: UdpPool | undefined;
  #connection: Connection | undefined;

  constructor(index: number, address: UpstreamAddress, parts: UpstreamParts) {
    this.index = index;
    this.address = address;
    this.#parts = parts;
    this.#waiting = new WaitingRoom();
    this.#peerAddress = address.isAddress ? address.host : undefined;
  }

  get text(): string {
    return this.address.text;
  }

  start(attempt: Attempt, nowMs: number): boolean {
    const exchange = attempt.exchange;
    if (exchange === undefined) return false;
    const mixes = this.address.usesUdp && this.caseHabit !== 'changes' && this.#parts.mixesCase();
    const random = mixes ? this.#parts.random : undefined;
    attempt.hasMixedCase = copyMixed(
      exchange.template,
      exchange.length,
      exchange.nameEnd,
      attempt.bytes,
      random,
    );
    attempt.length = exchange.length;
    attempt.nameEnd = exchange.nameEnd;
    if (this.isPlainOnly || attempt.isPlain) {
      attempt.isPlain = true;
      attempt.length = withoutOpt(attempt.bytes, attempt.nameEnd + 4);
    }
    return this.send(attempt, nowMs);
  }

  send(attempt: Attempt, nowMs: number): boolean {
    if (!this.address.usesUdp) return this.sendByConnection(attempt, nowMs);
    const address = this.#resolved(nowMs);
    if (address === undefined || this.#isClosed) return this.#wait(attempt);
    this.#pool ??= new UdpPool({ address, port: this.address.port }, this.#parts);
    return this.#pool.send(attempt, nowMs);
  }

  sendByConnection(attempt: Attempt, nowMs: number): boolean {
    const address = this.#resolved(nowMs);
    if (address === undefined || this.#isClosed) return this.#wait(attempt);
    this.#connection ??= this.#parts.openConnection(this.address, address, nowMs);
    return this.#connection.send(attempt, nowMs);
  }

  /**
   * The name was resolved to an address, or could not be (undefined): the attempts that wait are sent or
   * fail.
   */
  setAddress(address: string | undefined, nowMs: number): void {
    if (address !== undefined && address !== this.#peerAddress) this.#moveTo(address, nowMs);
    for (const attempt of this.#waiting.removeAll()) {
      if (address === undefined || !this.send(attempt, nowMs)) this.#parts.onBroken(attempt, true);
    }
  }

  keptCase(): void {
    this.#exactReplies += 1;
    if (this.caseHabit === 'unknown' && this.#exactReplies >= exactRepliesToTrust) this.caseHabit = 'keeps';
  }

  /** A handshake takes several round trips: a late reply is then no sign of a fault. */
  hedgeDelayMs(): number {
    const isReady = this.address.usesUdp || this.#connection?.isOpen === true;
    return isReady ? this.health.hedgeDelayMs() : maxHedgeMs;
  }

  /** True when it has just gone down. What was learned is learned anew: its software may be another one. */
  checkDown(nowMs: number): boolean {
    if (!this.health.checkDown(nowMs)) return false;
    this.caseHabit = 'unknown';
    this.#exactReplies = 0;
    this.isPlainOnly = false;
    if (!this.address.isAddress) this.#parts.names.failed(this.address.host, nowMs);
    return true;
  }

  tick(nowMs: number): void {
    this.#pool?.tick(nowMs);
    this.#connection?.tick(nowMs);
    if (!this.address.isAddress && this.isWanted) this.#parts.names.addressOf(this.address.host, nowMs);
  }

  unwant(nowMs: number): void {
    if (this.isWanted) this.#unwantedAtMs = nowMs;
    this.isWanted = false;
  }

  /** Not wanted any more, nothing in flight, and too long ago for a question that might still come to it. */
  isOver(nowMs: number): boolean {
    if (this.isWanted || nowMs - this.#unwantedAtMs < lingerMs) return false;
    return (this.#pool?.isQuiet ?? true) && (this.#connection?.isQuiet ?? true) && this.#waiting.isQuiet;
  }

  close(): void {
    this.#isClosed = true;
    this.#pool?.close();
    this.#connection?.close();
    this.#pool = undefined;
    this.#connection = undefined;
  }

  #wait(attempt: Attempt): boolean {
    return !this.#isClosed && this.#parts.names.isResolving(this.address.host) && this.#waiting.add(attempt);
  }

  #resolved(nowMs: number): string | undefined {
    if (this.#peerAddress === undefined) {
      this.#peerAddress = this.#parts.names.addressOf(this.address.host, nowMs);
    }
    return this.#peerAddress;
  }

  /** What is in flight to the old address is asked again at the new one. */
  #moveTo(address: string, nowMs: number): void {
    this.#peerAddress = address;
    const lost = [...(this.#pool?.removeAll() ?? []), ...(this.#connection?.removeAll() ?? [])];
    this.#pool = undefined;
    this.#connection = undefined;
    for (const attempt of lost) {
      attempt.resends += 1;
      if (!this.send(attempt, nowMs)) this.#parts.onBroken(attempt, true);
    }
  }
}
