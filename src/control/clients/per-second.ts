// How often something may be done in a second: a flood of forged addresses must not become a flood of
// questions. What finds no room is done later, by whoever comes again.

export class PerSecond {
  readonly #most: number;
  #second = Number.NaN;
  #done = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** True when it may be done now, and counts it. */
  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#done = 0;
    }
    if (this.#done >= this.#most) return false;
    this.#done++;
    return true;
  }
}
