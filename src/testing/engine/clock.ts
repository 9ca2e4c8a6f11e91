// The clock of tests with real sockets. It advances by at most a few milliseconds per turn of the event loop.
// On a busy machine the event loop may be delayed; then timers fire before the replies that are already in
// the sockets are read. With the wall clock, these replies would be late and the queries would be repeated.

const maxTurnMs = 10;
const checkIntervalMs = 2;

class TurnClock {
  readonly #wall: { readonly now: () => number } = performance;
  #lastMs = this.#wall.now();
  #passedMs = 0;

  readonly now = (): number => {
    const nowMs = this.#wall.now();
    this.#passedMs += Math.min(nowMs - this.#lastMs, maxTurnMs);
    this.#lastMs = nowMs;
    return this.#passedMs;
  };

  /** Calls `work` after this time on this clock. */
  after(ms: number, work: () => void): void {
    const dueMs = this.now() + ms;
    const timer = setInterval(() => {
      if (this.now() < dueMs) return;
      clearInterval(timer);
      work();
    }, checkIntervalMs);
  }
}

/** All parts of a test share one clock. */
export const turnClock = new TurnClock();
