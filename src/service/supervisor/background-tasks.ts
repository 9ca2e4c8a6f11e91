// Work of main that nobody waits for. A rejection that nobody hears would end the process, and with it DNS
// for a whole network; so each is heard here and told in the log. What goes on failing for the same reason,
// as work that is repeated does, is told once.

import type { Log } from '#platform/log';

export class Unattended {
  readonly #log: Log;
  /** Why each work failed last. */
  readonly #failures = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `what` completes "It was not possible to …"; `onFailure` does what has to be done besides telling. */
  run(what: string, work: Promise<unknown>, onFailure?: (problem: string) => void): void {
    work.then(
      () => this.#failures.delete(what),
      (error: unknown) => {
        this.#tell(what, error);
        onFailure?.(`It was not possible to ${what} (${reasonOf(error)}); the log says more.`);
      },
    );
  }

  #tell(what: string, error: unknown): void {
    const reason = reasonOf(error);
    if (this.#failures.get(what) === reason) return;
    this.#failures.set(what, reason);
    const stack = error instanceof Error ? error.stack : undefined;
    this.#log.error(`It was not possible to ${what}. The service goes on; please report it.`, {
      reason,
      stack,
    });
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
