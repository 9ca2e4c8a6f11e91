// The time of tests on real sockets: it passes as the event loop turns, and a turn counts as a few
// milliseconds at most. A machine that is busy with something else keeps the loop from turning, and then
// timers come before the replies that lie in the sockets already: by the clock on the wall these would be
// late, and asked for again.

const turnMaxMs = 10;
const lookEveryMs = 2;

class TurnClock {
  readonly #wall: { readonly now: () => number } = performance;
  #lastMs = this.#wall.now();
  #passedMs = 0;

  readonly now = (): number => {
    const nowMs = this.#wall.now();
    this.#passedMs += Math.min(nowMs - this.#lastMs, turnMaxMs);
    this.#lastMs = nowMs;
    return this.#passedMs;
  };

  /** Does something when so much time has passed. */
  after(ms: number, work: () => void): void {
    const dueMs = this.now() + ms;
    const timer = setInterval(() => {
      if (this.now() < dueMs) return;
      clearInterval(timer);
      work();
    }, lookEveryMs);
  }
}

/** One for all that meet in a test. */
export const turnClock = new TurnClock();
