// Decides whether the clock can be trusted for deleting rows by age. A machine without a battery or a wrong
// time server may set the clock months ahead for some minutes, and then every row would look too old. After
// a jump nothing is deleted until the clock has run on for an hour.

/** A service that was off for longer than this only deletes its old rows an hour later. */
const jumpMs = 86_400_000;
const waitMs = 3_600_000;

export class ClockJumpGuard {
  #lastMs: number;
  #jumpedMs = -Infinity;

  /** `lastMs` is the time of the newest row. */
  constructor(lastMs: number) {
    this.#lastMs = lastMs;
  }

  /** Must be called each minute. */
  isSteadyAt(nowMs: number): boolean {
    if (Math.abs(nowMs - this.#lastMs) > jumpMs) this.#jumpedMs = nowMs;
    this.#lastMs = nowMs;
    return Math.abs(nowMs - this.#jumpedMs) >= waitMs;
  }
}
