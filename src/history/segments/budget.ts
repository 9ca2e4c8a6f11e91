// How long a question may take. The code that works on it checks between two segments whether to continue;
// when the time is up or the caller has cancelled, the answer holds what was found so far and says so.

export interface BudgetOptions {
  readonly limitMs: number;
  /** A monotonic clock. */
  readonly clockMs: () => number;
  readonly isCancelled?: () => boolean;
  /** Called between segments, for work that cannot wait until the question is answered. */
  readonly between?: () => void;
}

export class Budget {
  /** Whether the work ended early. */
  isCut = false;
  readonly #options: BudgetOptions;
  readonly #endMs: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#endMs = options.clockMs() + options.limitMs;
  }

  readonly mayGoOn = (): boolean => {
    if (this.isCut) return false;
    this.#options.between?.();
    this.isCut = this.#options.clockMs() > this.#endMs || this.#options.isCancelled?.() === true;
    return !this.isCut;
  };
}
