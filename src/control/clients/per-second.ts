// Limits an operation to a number of times per second: a flood of forged addresses must not cause a flood of
// lookups. A caller that is refused tries again with a later query.

export class PerSecond {
  readonly #max: number;
  #second = Number.NaN;
  #done = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns whether the operation may run now, and counts it. */
  tryAcquire(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#done = 0;
    }
    if (this.#done >= this.#max) return false;
    this.#done++;
    return true;
  }
}
