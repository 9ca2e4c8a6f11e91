// Waits until everybody of a list has said something, or the time is up; those who have not are named. Used
// for acknowledgements of threads, where one that hangs must not keep the others waiting.

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

  /** Who is missing in the end. Numbers rise: whoever has heard one has heard those before. */
  begin(number: number, names: readonly string[], maxMs = this.#maxMs): Promise<readonly string[]> {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const timer = setTimeout(() => this.#end(round), maxMs);
    const round: Round = { number, missing: new Set(names), resolve, timer };
    this.#rounds.add(round);
    if (names.length === 0) this.#end(round);
    return promise;
  }

  heard(name: string, number: number): void {
    for (const round of this.#rounds) {
      if (round.number <= number) round.missing.delete(name);
      if (round.missing.size === 0) this.#end(round);
    }
  }

  /** Nobody will say anything more: what waits ends now. */
  giveUp(): void {
    for (const round of this.#rounds) this.#end(round);
  }

  #end(round: Round): void {
    clearTimeout(round.timer);
    this.#rounds.delete(round);
    round.resolve([...round.missing]);
  }
}
