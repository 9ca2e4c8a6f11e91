// Reads what the dns workers leave behind: sums their counters, and takes their records off the rings. Until
// there is a history that keeps records, taking them keeps the rings from filling up, and nothing more.

import { readCounters, RecordReader, type CounterName } from '#engine';
import type { DnsTraces } from '../threads/messages.ts';

export type DnsSums = Readonly<Record<CounterName, number>>;

/** Looked at often while there is much to take, and seldom while there is not. */
const busyEveryMs = 10;
const idleEveryMs = 1_000;
const muchAtOnce = 1_000;
const mostAtOnce = 100_000;
const nothingToDo = (): void => undefined;

export class DnsTraceReader {
  #traces: readonly DnsTraces[] = [];
  #readers: readonly RecordReader[] = [];
  #timer = this.#lookIn(idleEveryMs);

  /** The workers that there are now. */
  follow(traces: readonly DnsTraces[]): void {
    this.#traces = traces;
    this.#readers = traces.map(({ records }) => new RecordReader(records));
  }

  sums(): DnsSums {
    return readCounters(this.#traces.map(({ counters }) => counters));
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
