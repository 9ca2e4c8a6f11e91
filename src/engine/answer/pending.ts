// Questions in flight and who waits for them. Identical questions make one upstream query; every waiter keeps
// its own packet, so that it gets its answer with its own id, letters and EDNS, as if it had been alone.

import { pass, type Verdict } from '#policy';
import type { QueryContext } from './query-context.ts';
import type { QuerySource, LocalAddress, Transport } from '../query-source.ts';
import { keyOf } from '../cache/reply-keeper.ts';
import { ClientAddress } from '../client-address.ts';
import type { CleanReply } from '../reply/clean-reply.ts';
import type { ForwardFailure, ForwardOutcome, Question } from '../upstream/forwarding.ts';

/** Waiters in all; the listeners have limits of their own. */
export const waitersMax = 16_384;
const usualPacketBytes = 128;

/** One client that waits. Kept in a pool and used again. */
export class Waiter {
  packet = new Uint8Array(usualPacketBytes);
  packetLength = 0;
  readonly client = new ClientAddress();
  asker: QuerySource | undefined;
  ticket = 0;
  transport: Transport = 'udp';
  local: LocalAddress | undefined;
  groups = 0;
  privacy = 0;
  verdict: Verdict = pass;
  stepsLeft = 0;
  startedMs = 0;
  target: Uint8Array | undefined;
  next: Waiter | undefined;

  take(asker: QuerySource, ticket: number, asked: QueryContext): void {
    const { view } = asked;
    if (this.packet.length < view.length) this.packet = new Uint8Array(view.length);
    for (let i = 0; i < view.length; i++) this.packet[i] = view.bytes[view.start + i] ?? 0;
    this.packetLength = view.length;
    this.client.copyFrom(asked.client);
    this.asker = asker;
    this.ticket = ticket;
    this.transport = asked.transport;
    this.local = asked.local;
    this.groups = asked.groups;
    this.privacy = asked.privacy;
    this.verdict = asked.verdict;
    this.stepsLeft = asked.stepsLeft;
    this.startedMs = asked.startedMs;
    this.target = asked.target;
  }

  /** Fills in the query again, as it was when it came. */
  restore(asked: QueryContext): void {
    asked.view.read(this.packet, 0, this.packetLength);
    asked.client.copyFrom(this.client);
    asked.transport = this.transport;
    if (this.local !== undefined) asked.local = this.local;
    asked.groups = this.groups;
    asked.privacy = this.privacy;
    asked.verdict = this.verdict;
    asked.stepsLeft = this.stepsLeft;
    asked.startedMs = this.startedMs;
    asked.target = this.target;
  }
}

export interface PendingEvents {
  onReply(pending: PendingQuestion, reply: CleanReply, upstream: number): void;
  onFailure(pending: PendingQuestion, failure: ForwardFailure, upstream: number): void;
  onForeignRecords(count: number): void;
}

/** One question in flight. Without waiters it is a refresh of the cache. */
export class PendingQuestion implements Question, ForwardOutcome {
  readonly name: Uint8Array;
  readonly type: number;
  readonly class: number;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
  readonly hash: number;
  /** Others whose key is the same number. */
  sibling: PendingQuestion | undefined;
  first: Waiter | undefined;
  readonly #events: PendingEvents;

  constructor(question: Question, hash: number, events: PendingEvents) {
    this.name = question.name;
    this.type = question.type;
    this.class = question.class;
    this.dnssecOk = question.dnssecOk;
    this.checkingDisabled = question.checkingDisabled;
    this.hash = hash;
    this.#events = events;
  }

  onReply(reply: CleanReply, upstream: number): void {
    this.#events.onReply(this, reply, upstream);
  }

  onFailure(failure: ForwardFailure, upstream: number): void {
    this.#events.onFailure(this, failure, upstream);
  }

  onForeignRecords(count: number): void {
    this.#events.onForeignRecords(count);
  }
}

export class PendingTable {
  readonly #questions = new Map<number, PendingQuestion>();
  readonly #pool: Waiter[] = [];
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
  }

  find(name: Uint8Array, nameLength: number, hash: number, key: number): PendingQuestion | undefined {
    let found = this.#questions.get(hash ^ key);
    while (found !== undefined && !isSame(found, name, nameLength, key)) found = found.sibling;
    return found;
  }

  add(pending: PendingQuestion): void {
    const number = pending.hash ^ keyOf(pending.type, pending.dnssecOk, pending.checkingDisabled);
    pending.sibling = this.#questions.get(number);
    this.#questions.set(number, pending);
  }

  /** Undefined when too many wait. */
  wait(pending: PendingQuestion): Waiter | undefined {
    if (this.#waiting >= waitersMax) return undefined;
    this.#waiting++;
    const waiter = this.#pool.pop() ?? new Waiter();
    waiter.next = pending.first;
    pending.first = waiter;
    return waiter;
  }

  /** The question is answered; its waiters are the caller's to serve and to give back. */
  remove(pending: PendingQuestion): Waiter | undefined {
    const number = pending.hash ^ keyOf(pending.type, pending.dnssecOk, pending.checkingDisabled);
    const first = this.#questions.get(number);
    if (first === pending) this.#replaceFirst(number, pending.sibling);
    else this.#unlink(first, pending);
    const waiters = pending.first;
    pending.first = undefined;
    return waiters;
  }

  giveBack(waiter: Waiter): void {
    this.#waiting--;
    waiter.asker = undefined;
    waiter.local = undefined;
    waiter.next = undefined;
    if (waiter.packet.length <= 512) this.#pool.push(waiter);
  }

  #replaceFirst(number: number, sibling: PendingQuestion | undefined): void {
    if (sibling === undefined) this.#questions.delete(number);
    else this.#questions.set(number, sibling);
  }

  #unlink(first: PendingQuestion | undefined, pending: PendingQuestion): void {
    let before = first;
    while (before !== undefined && before.sibling !== pending) before = before.sibling;
    if (before !== undefined) before.sibling = pending.sibling;
  }
}

function isSame(pending: PendingQuestion, name: Uint8Array, nameLength: number, key: number): boolean {
  if (
    pending.name.length !== nameLength ||
    keyOf(pending.type, pending.dnssecOk, pending.checkingDisabled) !== key
  )
    return false;
  for (let i = 0; i < nameLength; i++) if (pending.name[i] !== name[i]) return false;
  return true;
}
