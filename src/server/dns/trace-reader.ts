// Reads what the dns workers leave behind: sums their counters, and takes their records off the rings. Until
// there is a history that keeps records, taking them keeps the rings from filling up, and nothing more.

import { readCounters, RecordReader, type CounterName } from '#engine';
import type { DnsTraces } from '../threads/messages.ts';

export type DnsSums = Readonly<Record<CounterName, number>>;

const takeEveryMs = 1_000;
const mostAtOnce = 100_000;
const nothingToDo = (): void => undefined;

export class DnsTraceReader {
  #traces: readonly DnsTraces[] = [];
  #readers: readonly RecordReader[] = [];
  readonly #timer = setInterval(() => this.#take(), takeEveryMs).unref();

  /** The workers that there are now. */
  follow(traces: readonly DnsTraces[]): void {
    this.#traces = traces;
    this.#readers = traces.map(({ records }) => new RecordReader(records));
  }

  sums(): DnsSums {
    return readCounters(this.#traces.map(({ counters }) => counters));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #take(): void {
    for (const reader of this.#readers) reader.take(mostAtOnce, nothingToDo);
  }
}
