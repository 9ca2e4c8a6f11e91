// Whether a supervised thread does its work. One that died is started again within seconds, so it counts only
// when it stays away for longer.

import type { ThreadStatus } from '#platform/threads';

/** As long as a start may take on a busy machine. */
const awayMaxMs = 10_000;

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
    if (this.#steadyMs() - this.#awaySince < awayMaxMs) return undefined;
    const reason = thread.lastFailure ?? 'it does not get ready';
    return `The thread ${this.#name} does not run: ${reason}. It is started again by itself.`;
  };
}
