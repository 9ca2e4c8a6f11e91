// Whether a supervised thread runs. A thread that dies is restarted within seconds, so only a longer absence
// counts.

import type { ThreadStatus } from '#platform/threads';

/** A start may take this long on a busy machine. */
const maxAwayMs = 10_000;

export class ThreadHealth {
  readonly #name: string;
  readonly #threads: () => readonly ThreadStatus[];
  readonly #steadyMs: () => number;
  #awaySince: number | undefined;

  constructor(name: string, threads: () => readonly ThreadStatus[], steadyMs: () => number) {
    this.#name = name;
    this.#threads = threads;
    this.#steadyMs = steadyMs;
  }

  readonly find = (): string | undefined => {
    const thread = this.#threads().find(({ name }) => name === this.#name);
    if (thread === undefined || thread.state === 'running' || thread.state === 'idle') {
      this.#awaySince = undefined;
      return undefined;
    }
    this.#awaySince ??= this.#steadyMs();
    if (this.#steadyMs() - this.#awaySince < maxAwayMs) return undefined;
    const reason = thread.lastFailure ?? 'it does not become ready';
    return `The thread ${this.#name} does not run: ${reason}. It is restarted automatically.`;
  };
}
