// Questions in flight and the queries that wait for them. Identical questions make one upstream query; every
// waiter keeps its own packet, so that it gets its answer with its own id, letters and EDNS, as if it had
// been alone.

import { Class, QueryView } from '#wire';
import { QueryContext } from './query-context.ts';
import type { QuerySource } from '../query-source.ts';
import { Kept } from '../cache/entry.ts';
import type { CleanReply } from '../reply/clean-reply.ts';
import type { KeyedQuestion } from '../cache/reply-keeper.ts';
import type { ForwardFailure, ForwardOutcome, Question } from '../upstream/forwarding.ts';

/** Waiters in all; the listeners have limits of their own. */
export const maxWaiters = 16_384;
const usualPacketBytes = 128;
/** Waiters with larger packets are not pooled. */
const pooledPacketBytes = 512;

/** One query that waits. Kept in a pool and used again. */
export class Waiter {
  readonly context: QueryContext;
  source: QuerySource | undefined;
  ticket = 0;
  next: Waiter | undefined;
  #packet = new Uint8Array(usualPacketBytes);
  #packetLength = 0;

  /** `view` is shared by all waiters: only one of them is served at a time. */
  constructor(view: QueryView) {
    this.context = new QueryContext(view);
  }

  get packetBytes(): number {
    return this.#packet.length;
  }

  join(source: QuerySource, ticket: number, query: QueryContext): void {
    const { view } = query;
    if (this.#packet.length < view.length) this.#packet = new Uint8Array(view.length);
    for (let i = 0; i < view.length; i++) this.#packet[i] = view.bytes[view.start + i] ?? 0;
    this.#packetLength = view.length;
    this.context.copyFrom(query);
    this.source = source;
    this.ticket = ticket;
  }

  /** The query as it was when it came; its view holds until the next waiter is resumed. */
  resume(): QueryContext {
    this.context.view.read(this.#packet, 0, this.#packetLength);
    return this.context;
  }
}

export interface PendingEvents {
  onReply(pending: PendingQuestion, reply: CleanReply, upstream: number): void;
  onFailure(pending: PendingQuestion, failure: ForwardFailure, upstream: number): void;
  onForeignRecords(count: number): void;
}

/** One question in flight. Without waiters it is a refresh of the cache. */
export class PendingQuestion implements Question, KeyedQuestion, ForwardOutcome {
  readonly name: Uint8Array;
  readonly type: number;
  readonly class: number = Class.IN;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
  readonly hash: number;
  readonly key: number;
  /** Others with the same number. */
  sibling: PendingQuestion | undefined;
  first: Waiter | undefined;
  readonly #events: PendingEvents;

  /** `key` as `keyOf` makes it: it holds all that the question is besides its name. */
  constructor(name: Uint8Array, hash: number, key: number, events: PendingEvents) {
    this.name = name;
    this.type = key & 0xffff;
    this.dnssecOk = (key & Kept.dnssecOk) !== 0;
    this.checkingDisabled = (key & Kept.checkingDisabled) !== 0;
    this.hash = hash;
    this.key = key;
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
  readonly #view: QueryView;
  #waiting = 0;

  constructor(hashSeed: number) {
    this.#view = new QueryView(hashSeed);
  }

  get waiting(): number {
    return this.#waiting;
  }

  find(name: Uint8Array, nameLength: number, hash: number, key: number): PendingQuestion | undefined {
    let found = this.#questions.get(hash ^ key);
    while (found !== undefined && !isSame(found, name, nameLength, key)) found = found.sibling;
    return found;
  }

  add(pending: PendingQuestion): void {
    const number = pending.hash ^ pending.key;
    pending.sibling = this.#questions.get(number);
    this.#questions.set(number, pending);
  }

  /** Undefined when too many wait. */
  wait(pending: PendingQuestion): Waiter | undefined {
    if (this.#waiting >= maxWaiters) return undefined;
    this.#waiting++;
    const waiter = this.#pool.pop() ?? new Waiter(this.#view);
    waiter.next = pending.first;
    pending.first = waiter;
    return waiter;
  }

  /** The question is answered; its waiters are the caller's to serve and to give back. */
  remove(pending: PendingQuestion): Waiter | undefined {
    const number = pending.hash ^ pending.key;
    const first = this.#questions.get(number);
    if (first === pending) this.#replaceFirst(number, pending.sibling);
    else this.#unlink(first, pending);
    const waiters = pending.first;
    pending.first = undefined;
    return waiters;
  }

  giveBack(waiter: Waiter): void {
    this.#waiting--;
    waiter.source = undefined;
    waiter.next = undefined;
    if (waiter.packetBytes <= pooledPacketBytes) this.#pool.push(waiter);
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
  if (pending.name.length !== nameLength || pending.key !== key) return false;
  for (let i = 0; i < nameLength; i++) if (pending.name[i] !== name[i]) return false;
  return true;
}
