// Reads what the dns workers leave behind: sums their counters, and takes their records off the rings. Until
// there is a history that keeps records, what is kept of them is who asked, and when.

import { randomInt } from 'node:crypto';
import type { Watcher } from '../events/query-source.ts';
import type { SeenClients } from '../clients/seen-clients.ts';
import type { CounterName, DnsFigures, RecordReader, RecordWord } from '#engine';
import type { DnsTraces } from '../threads/messages.ts';

export type DnsSums = Readonly<Record<CounterName, number>>;

/** Looked at often while there is much to take, and seldom while there is not. */
const busyEveryMs = 10;
const idleEveryMs = 1_000;
const muchAtOnce = 1_000;
const mostAtOnce = 100_000;
const nothingCounted: DnsSums = {
  queries: 0,
  forwarded: 0,
  cached: 0,
  stale: 0,
  local: 0,
  special: 0,
  blocked: 0,
  blockedByTarget: 0,
  upstreamBlocked: 0,
  failed: 0,
  strangers: 0,
  overLimit: 0,
  malformed: 0,
  overloaded: 0,
  coalesced: 0,
  refreshed: 0,
};

type ReadFigures = (memories: readonly SharedArrayBuffer[]) => DnsFigures;
type ReadCounters = (memories: readonly SharedArrayBuffer[]) => DnsSums;

/** Takes at most so many records of one ring, and tells how many there were. */
type Take = (most: number) => number;

export class DnsTraceReader {
  readonly #seen: SeenClients;
  #traces: readonly DnsTraces[] = [];
  #takes: readonly Take[] = [];
  #sum: ReadCounters = () => nothingCounted;
  #readFigures: ReadFigures | undefined;
  #readers: readonly RecordReader[] = [];
  #watcher: Watcher | undefined;
  #timer = this.#lookIn(idleEveryMs);

  constructor(seen: SeenClients) {
    this.#seen = seen;
  }

  /** The workers that there are now. The engine is loaded when there is one. */
  async follow(traces: readonly DnsTraces[]): Promise<void> {
    this.#traces = traces;
    this.#takes = [];
    this.#readers = [];
    if (traces.length === 0) return;
    const engine = await import('#engine');
    this.#sum = engine.readCounters;
    this.#readFigures = engine.readFigures;
    this.#seen.begin((rows) => new engine.RowTable(rows, randomInt(2 ** 31)));
    this.#readers = this.#traces.map(({ records }) => new engine.RecordReader(records));
    this.#takes = this.#readers.map((reader) => this.#takeFrom(reader, engine.RecordWord));
  }

  sums(): DnsSums {
    return this.#sum(this.#traces.map(({ counters }) => counters));
  }

  /** Nothing while DNS is off. */
  figures(): DnsFigures | undefined {
    const memories = this.#traces.map(({ counters }) => counters);
    return memories.length === 0 ? undefined : this.#readFigures?.(memories);
  }

  /** Records that found no room, because nobody took them in time. */
  dropped(): number {
    return this.#readers.reduce((total, { dropped }) => total + dropped, 0);
  }

  /** Shows each record that is taken to somebody else, too; nothing: to nobody. */
  watch(watcher: Watcher | undefined): void {
    this.#watcher = watcher;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #lookIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#take(), delayMs).unref();
  }

  /** Takes what has come since it was looked at last. */
  catchUp(): number {
    let taken = 0;
    for (const take of this.#takes) taken += take(mostAtOnce);
    return taken;
  }

  #take(): void {
    const taken = this.catchUp();
    this.#timer = this.#lookIn(taken >= muchAtOnce ? busyEveryMs : idleEveryMs);
  }

  #takeFrom(reader: RecordReader, layout: typeof RecordWord): Take {
    const { words, doubles } = reader;
    const { client, time } = layout;
    const visit = (at: number): void => {
      this.#watcher?.(reader, at, layout);
      const word = (at >> 2) + client;
      this.#seen.note(
        words[word] ?? 0,
        words[word + 1] ?? 0,
        words[word + 2] ?? 0,
        words[word + 3] ?? 0,
        doubles[(at >> 3) + time] ?? 0,
      );
    };
    return (most) => reader.take(most, visit);
  }
}
