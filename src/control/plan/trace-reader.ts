// Reads and sums the counters of the dns workers from shared memory. The history thread reads their records.

import type { DnsFigures, RecordReader } from '#engine';
import { readCounters, type CounterSums } from '#engine/counters';
import type { DnsTraces } from '#history/thread';

type ReadFigures = (memories: readonly SharedArrayBuffer[]) => DnsFigures;

export class DnsTraceReader {
  #traces: readonly DnsTraces[] = [];
  #readFigures: ReadFigures | undefined;
  #readers: readonly RecordReader[] = [];
  #attaching: Promise<void> = Promise.resolve();

  /** Sets the current workers; resolves when their figures can be read. */
  setWorkers(traces: readonly DnsTraces[]): Promise<void> {
    this.#attaching = this.#attach(traces);
    return this.#attaching;
  }

  /** Resolves when the figures of the current workers can be read. */
  settled(): Promise<void> {
    return this.#attaching;
  }

  /** Loads the engine only when there is a worker. */
  async #attach(traces: readonly DnsTraces[]): Promise<void> {
    this.#traces = traces;
    this.#readers = [];
    if (traces.length === 0) return;
    const engine = await import('#engine');
    this.#readFigures = engine.readFigures;
    this.#readers = this.#traces.map(({ records }) => new engine.RecordReader(records));
  }

  sums(): CounterSums {
    return readCounters(this.#traces.map(({ counters }) => counters));
  }

  /** Undefined while DNS is off. */
  figures(): DnsFigures | undefined {
    const memories = this.#traces.map(({ counters }) => counters);
    return memories.length === 0 ? undefined : this.#readFigures?.(memories);
  }

  /** Records dropped because the history thread did not read them in time. */
  dropped(): number {
    return this.#readers.reduce((total, { dropped }) => total + dropped, 0);
  }
}
