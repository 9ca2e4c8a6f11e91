// Waits until all threads of a list have acknowledged a request, or a timeout has expired. The result names
// the threads that have not, so that one that hangs does not block the others.

interface Round {
  readonly number: number;
  readonly missing: Set<string>;
  readonly resolve: (late: readonly string[]) => void;
  readonly timer: NodeJS.Timeout;
}

export class Acknowledgements {
  readonly #maxMs: number;
  readonly #rounds = new Set<Round>();

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Resolves with the names that are missing. Numbers rise, and a later number acknowledges earlier ones. */
  begin(number: number, names: readonly string[], maxMs = this.#maxMs): Promise<readonly string[]> {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const timer = setTimeout(() => this.#end(round), maxMs);
    const round: Round = { number, missing: new Set(names), resolve, timer };
    this.#rounds.add(round);
    if (names.length === 0) this.#end(round);
    return promise;
  }

  acknowledge(name: string, number: number): void {
    for (const round of this.#rounds) {
      if (round.number <= number) round.missing.delete(name);
      if (round.missing.size === 0) this.#end(round);
    }
  }

  /** Ends all rounds now: no more acknowledgements will come. */
  cancel(): void {
    for (const round of this.#rounds) this.#end(round);
  }

  #end(round: Round): void {
    clearTimeout(round.timer);
    this.#rounds.delete(round);
    round.resolve([...round.missing]);
  }
}
