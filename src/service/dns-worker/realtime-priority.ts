// When a dns worker goes before all other threads of the machine: as long as a core is left for those, and it
// has little to do. Then each query is answered as it comes, whoever else is at work (docs/decisions/015).
// With much to do it takes its turn like everybody: what comes meanwhile gathers, and answering by batches
// takes a fifth less of the processor.

import { Counter } from '#engine';
import type { SchedulerCalls } from '#platform/sockets';

/** Queries a second; the way back is further down, so that it does not go to and fro. */
const much = 25_000;
const little = 20_000;

export interface PrecedenceParts {
  /** Nothing where the system has no such thing. */
  readonly calls: Pick<SchedulerCalls, 'setRealtime' | 'setNormal'> | undefined;
  readonly hasCoreForOthers: boolean;
  /** The worker's own. */
  readonly counters: SharedArrayBuffer;
  readonly nowMs: () => number;
}

export class Precedence {
  readonly #calls: PrecedenceParts['calls'];
  readonly #counters: Float64Array;
  readonly #nowMs: () => number;
  #isFirst = false;
  #queries: number;
  #lookedMs: number;

  constructor({ calls, hasCoreForOthers, counters, nowMs }: PrecedenceParts) {
    this.#counters = new Float64Array(counters);
    this.#nowMs = nowMs;
    this.#queries = this.#counters[Counter.queries] ?? 0;
    this.#lookedMs = nowMs();
    // One who may not is not asked again.
    this.#isFirst = hasCoreForOthers && calls?.setRealtime() === true;
    this.#calls = this.#isFirst ? calls : undefined;
  }

  get isFirst(): boolean {
    return this.#isFirst;
  }

  /** Several times a second. */
  look(): void {
    const queries = this.#counters[Counter.queries] ?? 0;
    const nowMs = this.#nowMs();
    const perSecond = ((queries - this.#queries) / Math.max(nowMs - this.#lookedMs, 1)) * 1000;
    this.#queries = queries;
    this.#lookedMs = nowMs;
    if (this.#isFirst && perSecond > much) this.#isFirst = this.#calls?.setNormal() !== true;
    else if (!this.#isFirst && perSecond < little) this.#isFirst = this.#calls?.setRealtime() === true;
  }
}
