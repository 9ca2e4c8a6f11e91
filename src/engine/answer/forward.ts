// Asks upstreams on behalf of clients: coalesces equal questions, and serves all waiting queries when the
// outcome is there. A reply is stored in the cache first, and the waiting queries are answered from its entry
// as later ones are.

import { Class, Ede, Flag, MAX_MESSAGE_BYTES, Rcode, writeQuery } from '#wire';
import type { QueryContext } from './query-context.ts';
import { later, type QuerySource } from '../query-source.ts';
import { nameStart } from '../cache/answer-cache.ts';
import { Entry, State } from '../cache/entry.ts';
import { stateOf } from '../cache/entry-facts.ts';
import { ReplyKind } from '../cache/examine.ts';
import { Freshness, freshnessOf } from '../cache/freshness.ts';
import { isFailure } from '../cache/reply-keeper.ts';
import { CleanReply } from '../reply/clean-reply.ts';
import { answerFromEntry } from './entry-answers.ts';
import { PendingQuestion, type PendingEvents, type Waiter } from './pending.ts';
import { Counter } from '../record/counters.ts';
import { Origin } from '../record/layout.ts';
import type { EngineState } from '../state.ts';
import type { ForwardFailure } from '../upstream/forwarding.ts';

function text(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}

const failureTexts: Readonly<Record<ForwardFailure, Uint8Array>> = {
  'no upstream': text('no upstream is set, see dns.upstreams'),
  loop: text('all upstreams lead back to this resolver, see dns.upstreams'),
  timeout: text('no upstream answered in time'),
  unreachable: text('no upstream can be reached'),
  busy: text('too many queries are in flight'),
  malformed: text('the upstream sent a malformed answer'),
};

const failureCodes: Readonly<Record<ForwardFailure, number>> = {
  'no upstream': Ede.notReady,
  loop: Ede.notReady,
  timeout: Ede.noReachableAuthority,
  unreachable: Ede.networkError,
  busy: Ede.other,
  malformed: Ede.invalidData,
};

const failureReply = new CleanReply(new Uint8Array(512));

export class Forwarding implements PendingEvents {
  readonly #engine: EngineState;
  /** Where late answers are written, one after the other. */
  readonly #out = new Uint8Array(MAX_MESSAGE_BYTES);
  readonly #onWork: () => void;

  /** `onWork` is called when something is in flight from now on. */
  constructor(engine: EngineState, onWork: () => void) {
    this.#engine = engine;
    this.#onWork = onWork;
  }

  forward(source: QuerySource, query: QueryContext): number {
    const engine = this.#engine;
    const { lookupName: name, lookupLength, hash, key } = query;
    const known = engine.pending.find(name, lookupLength, hash, key);
    const pending = known ?? new PendingQuestion(name.slice(0, lookupLength), hash, key, this);
    const ticket = source.hold();
    const waiter = ticket < 0 ? undefined : engine.pending.wait(pending);
    if (waiter === undefined) return this.#overloaded(source, ticket, query);
    waiter.join(source, ticket, query);
    if (known === undefined) this.#queryUpstream(pending);
    else engine.recorder.count(Counter.coalesced);
    return later;
  }

  /** Asks for an entry again, for the cache alone. */
  refresh(question: PendingQuestion): void {
    const { pending, recorder } = this.#engine;
    const { name, hash, key } = question;
    if (pending.find(name, name.length, hash, key) !== undefined) return;
    recorder.count(Counter.refreshed);
    this.#queryUpstream(question);
  }

  /** The question that an entry answers. */
  questionOf(place: number): PendingQuestion {
    const { words, bytes } = this.#engine.cache;
    const key = words[place + Entry.key] ?? 0;
    const from = nameStart(place);
    const name = bytes.slice(from, from + ((words[place + Entry.nameAndState] ?? 0) & 0xff));
    return new PendingQuestion(name, words[place + Entry.hash] ?? 0, key, this);
  }

  onReply(pending: PendingQuestion, reply: CleanReply, upstream: number): void {
    const engine = this.#engine;
    engine.readClocks();
    const limits = engine.compiled.options.cache;
    const { keeper, nowSeconds } = engine;
    const old = isFailure(reply.rcode) ? this.#stillServed(pending) : -1;
    // RFC 8767: an old answer is better than a failure.
    if (old >= 0) return this.#serve(pending, old, Origin.stale);
    const place = keeper.keep(pending, reply, upstream, nowSeconds, limits);
    this.#serve(pending, place, Origin.forwarded);
  }

  onForeignRecords(count: number): void {
    this.#engine.recorder.count(Counter.foreignRecords, count);
  }

  onFailure(pending: PendingQuestion, failure: ForwardFailure, upstream: number): void {
    this.#engine.readClocks();
    const old = this.#stillServed(pending);
    if (old >= 0) this.#serve(pending, old, Origin.stale);
    else this.#fail(pending, failure, upstream);
  }

  /** The answer to a question when it may still be served, fresh or stale; -1 otherwise. */
  #stillServed(pending: PendingQuestion): number {
    const { cache, compiled, nowSeconds } = this.#engine;
    const place = cache.find(pending.name, pending.name.length, pending.hash, pending.key);
    if (place < 0 || (stateOf(cache.words, place) & State.failure) !== 0) return -1;
    return freshnessOf(cache, place, nowSeconds, compiled.options.cache) === Freshness.gone ? -1 : place;
  }

  #queryUpstream(pending: PendingQuestion): void {
    const { pending: table, forwarder } = this.#engine;
    table.add(pending);
    forwarder.forward(pending, pending);
    if (forwarder.inFlight > 0) this.#onWork();
  }

  #overloaded(source: QuerySource, ticket: number, query: QueryContext): number {
    const { composer, recorder } = this.#engine;
    recorder.count(Counter.overloaded);
    if (ticket >= 0) source.deliver(ticket, this.#out, 0, 0);
    const length = composer.error(query, Rcode.servFail, Ede.other, failureTexts.busy);
    this.#recordFailure(query, -1, failureCodes.busy);
    return length;
  }

  #serve(pending: PendingQuestion, place: number, origin: number): void {
    const engine = this.#engine;
    let waiter = engine.pending.remove(pending);
    while (waiter !== undefined) {
      const { source, ticket, next } = waiter;
      source?.workingOn(ticket);
      const length = answerFromEntry(engine, this.#resumed(waiter), place, origin);
      source?.deliver(ticket, this.#out, 0, length);
      engine.pending.giveBack(waiter);
      waiter = next;
    }
  }

  #recordFailure(query: QueryContext, upstream: number, ede: number): void {
    const { facts, recorder } = this.#engine;
    facts.set(Origin.failed, Rcode.servFail, ReplyKind.servFail);
    facts.upstream = upstream;
    facts.ede = ede;
    recorder.record(query, facts, this.#engine);
  }

  #fail(pending: PendingQuestion, failure: ForwardFailure, upstream: number): void {
    const engine = this.#engine;
    const ede = failureCodes[failure];
    let waiter = engine.pending.remove(pending);
    if (failure === 'timeout' || failure === 'unreachable') this.#keepFailure(pending);
    while (waiter !== undefined) {
      const { source, ticket, next } = waiter;
      const query = this.#resumed(waiter);
      const length = engine.composer.error(query, Rcode.servFail, ede, failureTexts[failure]);
      source?.deliver(ticket, this.#out, 0, length);
      this.#recordFailure(query, upstream, ede);
      engine.pending.giveBack(waiter);
      waiter = next;
    }
  }

  #resumed(waiter: Waiter): QueryContext {
    const query = waiter.resume();
    query.setOut(this.#out, 0, this.#out.length);
    return query;
  }

  /** For seconds, so that retries are not sent to upstreams that do not answer (RFC 9520). */
  #keepFailure(pending: PendingQuestion): void {
    const { keeper, nowSeconds, compiled } = this.#engine;
    const { name, type } = pending;
    const { bytes } = failureReply;
    const length = writeQuery(bytes, 0, 0, Flag.qr, name, type, Class.IN, 0, false);
    bytes[3] = Rcode.servFail;
    failureReply.set(length, -1, false);
    keeper.keep(pending, failureReply, -1, nowSeconds, compiled.options.cache);
  }
}
