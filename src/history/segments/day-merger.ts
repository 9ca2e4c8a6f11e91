// Merges the sums of a past day from those of its segments, some segments per step, so that a day with many
// segments blocks nothing. Until a day has merged sums, and after one of its segments has changed, questions
// read the sums of the segments.

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

  /** Runs one step; returns whether there is more to do. */
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

/** Whether the day still has the same segments. */
function isSame(a: Day, b: Day | undefined): boolean {
  return a.day === b?.day && a.rows === b.rows && a.segments.length === b.segments.length;
}
