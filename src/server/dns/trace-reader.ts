// Reads what the dns workers leave behind: sums their counters, and takes their records off the rings. Until
// there is a history that keeps records, taking them keeps the rings from filling up, and nothing more.

import type { CounterName, RecordReader } from '#engine';
import type { DnsTraces } from '../threads/messages.ts';

export type DnsSums = Readonly<Record<CounterName, number>>;

/** Looked at often while there is much to take, and seldom while there is not. */
const busyEveryMs = 10;
const idleEveryMs = 1_000;
const muchAtOnce = 1_000;
const mostAtOnce = 100_000;
const nothingToDo = (): void => undefined;
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

type ReadCounters = (memories: readonly SharedArrayBuffer[]) => DnsSums;

export class DnsTraceReader {
  #traces: readonly DnsTraces[] = [];
  #readers: readonly RecordReader[] = [];
  #sum: ReadCounters = () => nothingCounted;
  #timer = this.#lookIn(idleEveryMs);

  /** The workers that there are now. The engine is loaded when there is one. */
  async follow(traces: readonly DnsTraces[]): Promise<void> {
    this.#traces = traces;
    this.#readers = [];
    if (traces.length === 0) return;
    const engine = await import('#engine');
    this.#sum = engine.readCounters;
    this.#readers = this.#traces.map(({ records }) => new engine.RecordReader(records));
  }

  sums(): DnsSums {
    return this.#sum(this.#traces.map(({ counters }) => counters));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #lookIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#take(), delayMs).unref();
  }

  #take(): void {
    let taken = 0;
    for (const reader of this.#readers) taken += reader.take(mostAtOnce, nothingToDo);
    this.#timer = this.#lookIn(taken >= muchAtOnce ? busyEveryMs : idleEveryMs);
  }
}
