// When a dns worker has realtime priority: while a core is left for other threads, and its load is low. Then
// each query is answered as it comes, whatever else runs (docs/decisions/015). Under load it has normal
// priority: queries gather meanwhile, and answering by batches takes a fifth less CPU time.

import { Counter } from '#engine';
import type { SchedulerCalls } from '#platform/sockets';

/** Queries a second; two thresholds (hysteresis), so that the priority does not flap. */
const much = 25_000;
const little = 20_000;

export interface RealtimePriorityParts {
  /** Nothing where the system has no such thing. */
  readonly calls: Pick<SchedulerCalls, 'setRealtime' | 'setNormal'> | undefined;
  readonly hasCoreForOthers: boolean;
  /** The worker's own. */
  readonly counters: SharedArrayBuffer;
  readonly nowMs: () => number;
}

export class RealtimePriority {
  readonly #calls: RealtimePriorityParts['calls'];
  readonly #counters: Float64Array;
  readonly #nowMs: () => number;
  #isRealtime = false;
  #queries: number;
  #updatedMs: number;

  constructor({ calls, hasCoreForOthers, counters, nowMs }: RealtimePriorityParts) {
    this.#counters = new Float64Array(counters);
    this.#nowMs = nowMs;
    this.#queries = this.#counters[Counter.queries] ?? 0;
    this.#updatedMs = nowMs();
    // Where it is not permitted, it is not tried again.
    this.#isRealtime = hasCoreForOthers && calls?.setRealtime() === true;
    this.#calls = this.#isRealtime ? calls : undefined;
  }

  get isRealtime(): boolean {
    return this.#isRealtime;
  }

  /** Several times a second. */
  update(): void {
    const queries = this.#counters[Counter.queries] ?? 0;
    const nowMs = this.#nowMs();
    const perSecond = ((queries - this.#queries) / Math.max(nowMs - this.#updatedMs, 1)) * 1000;
    this.#queries = queries;
    this.#updatedMs = nowMs;
    if (this.#isRealtime && perSecond > much) this.#isRealtime = this.#calls?.setNormal() !== true;
    else if (!this.#isRealtime && perSecond < little) this.#isRealtime = this.#calls?.setRealtime() === true;
  }
}
