// Makes known now and then, in the shared memory of the counters, what a worker has in plain fields: its
// cache, its upstreams, the size of its lists. Nothing of it is on the path of a query. Counts are added to
// what stands there, so that they go on when another worker takes the place of one that died.

import type { CostlyRule } from '#policy';
import type { AnswerCache } from './cache/answer-cache.ts';
import { costlyRuleCount, publishedAt, publishedNames, upstreamsAtBytes } from './record/counters.ts';
import { UpstreamTable, type UpstreamCounts, type UpstreamState } from './record/upstream-table.ts';
import type { UpstreamForwarder } from './upstream/forwarder.ts';
import type { UpstreamStatus } from './upstream/status.ts';

type Published = (typeof publishedNames)[number];

const nothing: UpstreamCounts = { queries: 0, failures: 0, timeouts: 0, measured: 0, measuredMs: 0 };

export class Publisher {
  readonly #cache: AnswerCache;
  readonly #forwarder: Pick<UpstreamForwarder, 'status'>;
  readonly #counts: Float64Array;
  readonly #upstreams: UpstreamTable;
  readonly #toShared: (atMs: number) => number;
  #inserted = 0;
  #evicted = 0;
  #unfinished = 0;
  #published = new Map<string, UpstreamStatus>();

  constructor(
    {
      cache,
      forwarder,
    }: { readonly cache: AnswerCache; readonly forwarder: Pick<UpstreamForwarder, 'status'> },
    counters: SharedArrayBuffer,
    /** From the clock of this worker to the one that all threads share. */
    toShared: (atMs: number) => number = (atMs) => atMs,
  ) {
    this.#toShared = toShared;
    this.#cache = cache;
    this.#forwarder = forwarder;
    this.#counts = new Float64Array(counters, 0, upstreamsAtBytes / 8);
    this.#upstreams = new UpstreamTable(counters, upstreamsAtBytes);
  }

  publish(): void {
    const { count, usedBytes, capacityBytes, room, inserted, evicted } = this.#cache;
    this.#set('cacheEntries', count);
    this.#set('cacheBytes', usedBytes);
    this.#set('cacheCapacityBytes', capacityBytes);
    this.#set('cacheRoom', room);
    this.#add('cacheInserted', inserted - this.#inserted);
    this.#add('cacheEvicted', evicted - this.#evicted);
    this.#inserted = inserted;
    this.#evicted = evicted;
    this.#publishUpstreams();
  }

  /** The names of the lists that are in force. */
  publishListNames(names: number): void {
    this.#set('listNames', names);
  }

  /** Names for which expressions were left unfinished since this thread began, and the rules to blame. */
  publishExpressions(unfinished: number, costly: readonly CostlyRule[]): void {
    const first = publishedAt + publishedNames.indexOf('costlyList1');
    // What was found once stays known while nothing else is.
    for (const [at, { listId, ruleId, line }] of costly.slice(0, costlyRuleCount).entries())
      this.#counts.set([listId, ruleId, line], first + 3 * at);
    // The count comes last: what it makes others look for is there.
    this.#add('unfinishedNames', unfinished - this.#unfinished);
    this.#unfinished = unfinished;
  }

  #publishUpstreams(): void {
    const now = this.#forwarder.status();
    for (const status of now) {
      const before = this.#published.get(status.text);
      // One that was given up and is named again counts from the beginning.
      const isSame = before !== undefined && status.queries >= before.queries;
      this.#upstreams.add(status.text, since(status, isSame ? before : nothing));
    }
    this.#upstreams.setStates(new Map(now.map((status) => [status.text, this.#stateOf(status)])));
    this.#upstreams.setNumbers(new Map(now.map(({ text, index }) => [text, index])));
    this.#published = new Map(now.map((status) => [status.text, status]));
  }

  /** One that leads back to us never helps, whatever it replies. */
  #stateOf({ state, goodMs, failedMs }: UpstreamStatus): UpstreamState {
    const isGivenUp = state === 'down' && failedMs > goodMs;
    return {
      isUp: state === 'healthy',
      repliedMs: Number.isFinite(goodMs) ? this.#toShared(goodMs) : 0,
      failedMs: state === 'loop' ? Infinity : isGivenUp ? this.#toShared(failedMs) : 0,
    };
  }

  #set(name: Published, value: number): void {
    this.#counts[publishedAt + publishedNames.indexOf(name)] = value;
  }

  #add(name: Published, more: number): void {
    const at = publishedAt + publishedNames.indexOf(name);
    this.#counts[at] = (this.#counts[at] ?? 0) + more;
  }
}

function since(now: UpstreamCounts, before: UpstreamCounts): UpstreamCounts {
  return {
    queries: now.queries - before.queries,
    failures: now.failures - before.failures,
    timeouts: now.timeouts - before.timeouts,
    measured: now.measured - before.measured,
    measuredMs: now.measuredMs - before.measuredMs,
  };
}
