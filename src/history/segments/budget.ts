// How long a question may take. Whoever works on it asks between two segments whether to go on; when the time
// is up or the caller went away, it ends with what it has and says so.

export interface BudgetOptions {
  readonly limitMs: number;
  /** A clock that never jumps. */
  readonly clockMs: () => number;
  readonly isCancelled?: () => boolean;
  /** Called between segments: what cannot wait is done here. */
  readonly between?: () => void;
}

export class Budget {
  /** Whether it ended early. */
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
