// Whether the clock can be believed when something is to be deleted by its age: a machine without a battery,
// or a time server that is wrong, sets it months ahead for some minutes, and all that is remembered would be
// too old at once. After a jump nothing is deleted until the clock has gone on for an hour.

/** A service that was off for longer only waits with what is too old. */
const jumpMs = 86_400_000;
const waitMs = 3_600_000;

export class ClockJumpGuard {
  #lastMs: number;
  #jumpedMs = -Infinity;

  /** `lastMs`: of the newest that is known. */
  constructor(lastMs: number) {
    this.#lastMs = lastMs;
  }

  /** To be asked each minute. */
  isSteadyAt(nowMs: number): boolean {
    if (Math.abs(nowMs - this.#lastMs) > jumpMs) this.#jumpedMs = nowMs;
    this.#lastMs = nowMs;
    return Math.abs(nowMs - this.#jumpedMs) >= waitMs;
  }
}
