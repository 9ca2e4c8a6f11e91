// Lets so many in at once and has the others wait in turn: for work that the machine or the network should
// not do all at the same time. Work that takes long gives its place to the next one and goes on beside it, as
// far as there is room for that: a few that only wait must not keep everybody else waiting.

export interface GatePatience {
  /** How long work has a place for itself. */
  readonly patienceMs: number;
  /** How many may go on beside. */
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
    // Again and again: room beside may come later.
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
    // Whoever comes next takes over the place, so that nobody slips in between.
    if (next === undefined) this.#inside -= 1;
    else next();
  }
}
