// Calls the engine every few milliseconds while something is in flight, and seldom otherwise: an idle
// resolver should let the machine sleep.

const busyEveryMs = 10;
const idleEveryMs = 1000;

export class Ticker {
  readonly #tick: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isBusy = false;
  #isStopped = false;

  /** `tick` tells whether it is to be called again soon. */
  constructor(tick: () => boolean) {
    this.#tick = tick;
    this.#arm(idleEveryMs);
  }

  /** Something is in flight from now on. */
  wake(): void {
    if (this.#isBusy || this.#isStopped) return;
    this.#isBusy = true;
    this.#arm(busyEveryMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #arm(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), delayMs);
    this.#timer.unref();
  }

  #run(): void {
    this.#isBusy = this.#tick();
    if (!this.#isStopped) this.#arm(this.#isBusy ? busyEveryMs : idleEveryMs);
  }
}
