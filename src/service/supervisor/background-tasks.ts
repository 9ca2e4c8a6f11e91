// Background work of the main thread. An unhandled rejection would end the process, and with it DNS for a
// whole network, so failures are caught and logged here. Repeated work that keeps failing for the same reason
// is logged once.

import type { Log } from '#platform/log';
import { errorText } from '#platform/tasks';

export class BackgroundTasks {
  readonly #log: Log;
  /** The last failure of each task. */
  readonly #failures = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `what` completes "It was not possible to …"; `onFailure` runs after the failure is logged. */
  run(what: string, work: Promise<unknown>, onFailure?: (problem: string) => void): void {
    work.then(
      () => this.#failures.delete(what),
      (error: unknown) => {
        this.#report(what, error);
        onFailure?.(`It was not possible to ${what} (${errorText(error)}); the log says more.`);
      },
    );
  }

  #report(what: string, error: unknown): void {
    const reason = errorText(error);
    if (this.#failures.get(what) === reason) return;
    this.#failures.set(what, reason);
    const stack = error instanceof Error ? error.stack : undefined;
    this.#log.error(`It was not possible to ${what}. The service keeps running; please report this.`, {
      reason,
      stack,
    });
  }
}
