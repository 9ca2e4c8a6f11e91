// Lets so many in at once and has the others wait in turn: for work that the machine or the network should
// not do all at the same time.

export class ParallelGate {
  readonly #most: number;
  readonly #queue: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      // Whoever comes next takes over the place, so that nobody slips in between.
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
