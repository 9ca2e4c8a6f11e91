// A timer for a moment of the wall clock. It fires at that moment and not up to a second later, and reads the
// clock at least once a second: it must also fire in time after the clock was set or the machine slept. One
// wait is never longer than a second, so no moment is too far away for setTimeout.

const checkEveryMs = 1_000;

export class ExactTimer {
  readonly #leftMs: () => number;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `leftMs` returns the time until the moment; 0 or less: due now; Infinity: nothing to wait for. */
  constructor(leftMs: () => number, onDue: () => void) {
    this.#leftMs = leftMs;
    this.#onDue = onDue;
  }

  /** Call it when the moment may have changed. If it is due, the timer fires at once. */
  reschedule(): void {
    this.#arm(Math.max(0, this.#leftMs()));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Timers may fire a moment early: the clock decides. While the moment stays due, it fires each second. */
  #run(): void {
    if (this.#leftMs() <= 0) this.#onDue();
    const leftMs = this.#leftMs();
    this.#arm(leftMs <= 0 ? checkEveryMs : leftMs);
  }

  #arm(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#run(), Math.min(Math.ceil(delayMs), checkEveryMs)).unref();
  }
}
