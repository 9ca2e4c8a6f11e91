// Makes the sums of a past day out of those of its segments, some segments at a step, so that a day of many
// segments holds nothing up. Until a day has its sums, and after one of its segments changed, questions read
// the segments' own.

import { mergeRollups, type Rollup } from './rollup-code.ts';
import { dayOf, hourOf, type Day, type SegmentIndex } from './segment-index.ts';

const segmentsPerStep = 48;

export class DayMerger {
  readonly #index: SegmentIndex;
  #day: Day | undefined;
  #done = 0;
  #sum: Rollup | undefined;

  constructor(index: SegmentIndex) {
    this.#index = index;
  }

  /** One step; whether there is more to do. */
  step(nowMs: number): boolean {
    const today = dayOf(hourOf(nowMs));
    const waiting = this.#index.days.find(({ day, isMerged }) => day !== today && !isMerged);
    if (waiting === undefined) return false;
    if (!isSame(waiting, this.#day)) this.#begin(waiting);
    const part = waiting.segments.slice(this.#done, this.#done + segmentsPerStep);
    const rollups = part.map((segment) => this.#index.rollupOf(segment));
    this.#sum = mergeRollups(this.#sum === undefined ? rollups : [this.#sum, ...rollups]);
    this.#done += part.length;
    if (this.#done >= waiting.segments.length) this.#finish(waiting, this.#sum);
    return true;
  }

  #begin(day: Day): void {
    this.#day = day;
    this.#done = 0;
    this.#sum = undefined;
  }

  #finish({ day }: Day, sum: Rollup): void {
    this.#index.setDay(day, sum);
    this.#day = undefined;
    this.#sum = undefined;
  }
}

/** Whether it still has the segments that it had. */
function isSame(a: Day, b: Day | undefined): boolean {
  return a.day === b?.day && a.rows === b.rows && a.segments.length === b.segments.length;
}
