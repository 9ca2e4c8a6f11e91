// Where attempts wait while the name of their upstream is being resolved. It is a `Way`, as a socket is, so
// that an exchange which ends meanwhile removes its attempt without a special case.

import type { Attempt, Way } from './exchange.ts';

/** Further ones fail at once: other upstreams are asked in their place. */
const maxWaiting = 1024;

export class WaitingRoom implements Way {
  readonly isUdp = false;
  readonly #attempts = new Set<Attempt>();

  add(attempt: Attempt): boolean {
    if (this.#attempts.size >= maxWaiting) return false;
    attempt.way = this;
    this.#attempts.add(attempt);
    return true;
  }

  removeAll(): Attempt[] {
    const all = [...this.#attempts];
    this.#attempts.clear();
    for (const attempt of all) attempt.way = undefined;
    return all;
  }

  resend(): boolean {
    return false;
  }

  forget(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    attempt.way = undefined;
  }

  get isQuiet(): boolean {
    return this.#attempts.size === 0;
  }
}
