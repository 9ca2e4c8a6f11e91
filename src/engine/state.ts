// Everything that answering a query works with, as one plain object: the steps in answer.ts and its
// neighbours are functions of it. One per thread.

import type { Policy, Verdict } from '#policy';
import type { QueryContext } from './answer/query-context.ts';
import type { QuerySource } from './query-source.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import type { ReplyKeeper } from './cache/reply-keeper.ts';
import type { Clients } from './clients/clients.ts';
import type { BlockedAddresses, Composer, OwnAddresses } from './answer/composer.ts';
import type { Inspector } from './answer/inspect.ts';
import type { LocalName } from './local/local-name.ts';
import type { NameTree } from './local/name-tree.ts';
import type { EngineOptions } from './options.ts';
import type { PendingTable } from './answer/pending.ts';
import type { AnswerFacts, Recorder } from './answer/recorder.ts';
import type { Time } from './time.ts';
import type { UpstreamForwarder } from './upstream/forwarder.ts';

/** What settings make of the options; replaced as a whole when they change. */
export interface Compiled {
  readonly options: EngineOptions;
  readonly local: NameTree<LocalName>;
  /** Names that devices ask for to find out how they may behave, and how each is answered. */
  readonly special: NameTree<Verdict>;
  readonly rebindExempt: NameTree<true>;
  /** Texts for class CHAOS by name. */
  readonly chaos: NameTree<readonly string[]>;
  /** The addresses in answers of the IP modes of blocking. */
  readonly blocked: BlockedAddresses;
  /** Addresses of this machine. */
  readonly own: OwnAddresses;
}

export interface EngineState extends Time {
  compiled: Compiled;
  policy: Policy;
  readonly clients: Clients;
  readonly cache: AnswerCache;
  readonly keeper: ReplyKeeper;
  readonly composer: Composer;
  readonly inspector: Inspector;
  readonly recorder: Recorder;
  readonly facts: AnswerFacts;
  readonly pending: PendingTable;
  /** The query that is being answered as it comes. */
  readonly query: QueryContext;
  readonly hashSeed: number;
  /** The steady clock, read once per batch. */
  nowMs: number;
  nowSeconds: number;
  /** Reads the clocks anew, where something comes outside of a batch. */
  readClocks(): void;
  /** Asks the upstreams for what the client wants; `later`, or an answer when none can be waited for. */
  forward(source: QuerySource, query: QueryContext): number;
  /** The entry's name is asked for again, for the cache alone, once the batch is over. */
  refreshLater(place: number): void;
  readonly forwarder: UpstreamForwarder;
}
