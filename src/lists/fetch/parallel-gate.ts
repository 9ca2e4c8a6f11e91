// Limits how many jobs run in parallel; the others wait in a queue. A job that runs longer than `patienceMs`
// moves to an extra place, if one is free, and the next job starts: a few fetches from slow servers must not
// delay all others.

export interface GatePatience {
  /** After this time a job moves to an extra place. */
  readonly patienceMs: number;
  /** Number of extra places. */
  readonly beside: number;
}

export class ParallelGate {
  readonly #most: number;
  readonly #patience: GatePatience;
  readonly #queue: (() => void)[] = [];
  #inside = 0;
  #beside = 0;

  constructor(most: number, patience: GatePatience) {
    this.#most = most;
    this.#patience = patience;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#inside += 1;
    let isBeside = false;
    const stepAside = (): void => {
      if (isBeside || this.#beside >= this.#patience.beside) return;
      isBeside = true;
      this.#beside += 1;
      this.#leave();
    };
    // Repeated, because an extra place may become free later.
    const late = setInterval(stepAside, this.#patience.patienceMs).unref();
    try {
      return await work();
    } finally {
      clearInterval(late);
      if (isBeside) this.#beside -= 1;
      else this.#leave();
    }
  }

  #leave(): void {
    const next = this.#queue.shift();
    // The next job inherits the place, so that no later caller can overtake it.
    if (next === undefined) this.#inside -= 1;
    else next();
  }
}
