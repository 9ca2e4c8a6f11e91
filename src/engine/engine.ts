// The engine: everything of a thread that answers DNS, wired together. Listeners call it as an `Answerer`;
// settings and policy are put in while it runs. It opens no socket itself and reads no clock but the one it
// is given.

import type { ClientPrivacy, Policy } from '#policy';
import { answer } from './answer/answer.ts';
import { QueryContext } from './answer/query-context.ts';
import type { Answerer, QuerySource } from './query-source.ts';
import { AnswerCache } from './cache/answer-cache.ts';
import { loadCache, saveCache } from './cache/cache-file.ts';
import { ReplyKeeper } from './cache/reply-keeper.ts';
import { Clients } from './clients/clients.ts';
import type { Identify } from './clients/identity.ts';
import { compileOptions } from './compile.ts';
import { Composer } from './answer/composer.ts';
import { Forwarding } from './answer/forward.ts';
import { Inspector } from './answer/inspect.ts';
import type { Outgoing } from './net/outgoing.ts';
import type { EngineOptions } from './options.ts';
import { PendingTable, type PendingQuestion } from './answer/pending.ts';
import { RecordWriter } from './record/record-ring.ts';
import { AnswerFacts, Recorder } from './answer/recorder.ts';
import type { Compiled, EngineState } from './state.ts';
import type { UpstreamForwarder } from './upstream/forwarder.ts';
import type { ForwardOutcome, Question } from './upstream/forwarding.ts';
import { hashName, nameFromText, QueryView } from '#wire';

export interface EngineParts {
  readonly policy: Policy;
  readonly forwarder: UpstreamForwarder;
  readonly outgoing: Outgoing;
  readonly cacheBytes: number;
  /** From a good source of randomness: an attacker must not be able to make names collide. */
  readonly hashSeed: number;
  /** Shared with the threads that read records and counters. */
  readonly records: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  /** Steady: never set back. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** Something is in flight: `tick` is wanted every few milliseconds. */
  readonly onBusy: () => void;
  /** What the network says of a client; without it clients are known by their addresses only. */
  readonly identify?: Identify | undefined;
  /** A message for people. */
  readonly notice?: ((text: string) => void) | undefined;
}

/** Refreshes that one batch may begin. */
const refreshesPerBatch = 32;
function ignore(): void {
  return undefined;
}

export class Engine implements Answerer, EngineState {
  compiled: Compiled;
  policy: Policy;
  readonly clients: Clients;
  readonly cache: AnswerCache;
  readonly keeper: ReplyKeeper;
  readonly composer = new Composer();
  readonly inspector = new Inspector();
  readonly recorder: Recorder;
  readonly facts = new AnswerFacts();
  readonly pending: PendingTable;
  readonly query: QueryContext;
  readonly forwarder: UpstreamForwarder;
  readonly hashSeed: number;
  nowMs = 0;
  nowSeconds = 0;
  readonly #parts: EngineParts;
  readonly #forwarding: Forwarding;
  readonly #refreshes: PendingQuestion[] = [];

  constructor(options: EngineOptions, parts: EngineParts) {
    this.#parts = parts;
    this.policy = parts.policy;
    this.forwarder = parts.forwarder;
    this.hashSeed = parts.hashSeed;
    this.query = new QueryContext(new QueryView(parts.hashSeed));
    this.pending = new PendingTable(parts.hashSeed);
    this.cache = new AnswerCache(parts.cacheBytes);
    this.keeper = new ReplyKeeper(this.cache);
    this.recorder = new Recorder(new RecordWriter(parts.records), parts.counters);
    this.clients = new Clients(parts.policy, parts.hashSeed, parts.notice ?? ignore, parts.identify);
    this.#forwarding = new Forwarding(this, parts.onBusy);
    this.compiled = compileOptions(options);
    this.clients.set(options);
    this.readClocks();
  }

  setOptions(options: EngineOptions): void {
    this.compiled = compileOptions(options, this.compiled);
    this.clients.set(options);
  }

  setPolicy(policy: Policy, privacy?: ClientPrivacy): void {
    this.policy = policy;
    this.clients.usePolicy(policy, privacy);
  }

  answer(
    source: QuerySource,
    bytes: Uint8Array,
    start: number,
    length: number,
    out: Uint8Array,
    outStart: number,
    outBytes: number,
  ): number {
    const { query } = this;
    query.setOut(out, outStart, outBytes);
    query.transport = source.transport;
    return answer(this, source, bytes, start, length);
  }

  beginBatch(): void {
    this.readClocks();
    this.clients.beginBatch(this);
  }

  endBatch(): void {
    for (const question of this.#refreshes) this.#forwarding.refresh(question);
    this.#refreshes.length = 0;
    this.#parts.outgoing.flushAll();
    this.recorder.publish();
  }

  forward(source: QuerySource, query: QueryContext): number {
    return this.#forwarding.forward(source, query);
  }

  /** Asks the upstreams for a purpose of our own: nothing is cached or recorded. */
  queryUpstreams(question: Question, outcome: ForwardOutcome): void {
    this.readClocks();
    this.forwarder.forward(question, outcome);
    this.#parts.outgoing.flushAll();
    if (this.forwarder.inFlight > 0) this.#parts.onBusy();
  }

  refreshLater(place: number): void {
    if (this.#refreshes.length < refreshesPerBatch) this.#refreshes.push(this.#forwarding.questionOf(place));
  }

  /** Looks at deadlines. True when something is in flight and it is to be called again soon. */
  tick(): boolean {
    this.readClocks();
    this.forwarder.tick(this.nowMs);
    this.endBatch();
    return this.forwarder.inFlight > 0;
  }

  /** Clients that wait for an answer. */
  get waiting(): number {
    return this.pending.waiting;
  }

  /** Without a name all entries are removed. Returns how many were. */
  flushCache(text: string | undefined): number {
    if (text === undefined) {
      const { count } = this.cache;
      this.cache.clear();
      return count;
    }
    const name = nameFromText(text.toLowerCase());
    if (name === undefined) return 0;
    return this.cache.flushName(name, name.length, hashName(name, name.length, this.hashSeed));
  }

  /** The cache as bytes for a file, and back. */
  saveCache(): Uint8Array {
    return saveCache(this.cache, this.nowSeconds, this.#parts.wallMs());
  }

  loadCache(bytes: Uint8Array): number {
    return loadCache(this.cache, bytes, this.hashSeed, this.nowSeconds, this.#parts.wallMs());
  }

  /** All waiting queries are answered now, with a failure. */
  failWaiting(): void {
    this.readClocks();
    this.forwarder.close();
    this.endBatch();
  }

  close(): void {
    this.forwarder.close();
    this.recorder.publish();
  }

  readClocks(): void {
    this.nowMs = this.#parts.nowMs();
    this.nowSeconds = Math.floor(this.nowMs / 1000);
    this.recorder.wallOffsetMs = this.#parts.wallMs() - this.nowMs;
  }
}
