// How long a process waits for its successor. The limit is on silence, because slow hardware or a long
// migration of the database must not make a restart impossible, and a successor that hangs must not leave the
// service without its API. It counts timer ticks instead of measuring time: while this process is suspended,
// its timer is suspended too.

/** The interval of checks, and of the `alive` messages of the successor. */
export const checkEveryMs = 1_000;
/** Far longer than a busy machine delays the timers of a process. */
export const maxSilentChecks = 30;
/** Ten minutes: a successor that is alive but not ready by then is given up. */
export const maxChecks = 600;

export class SuccessorTimeout {
  #checks = 0;
  #silentChecks = 0;

  /** The successor has sent a message. */
  onMessage(): void {
    this.#silentChecks = 0;
  }

  /** Call every `checkEveryMs`. Returns the reason to give up, or undefined. */
  check(): string | undefined {
    this.#checks++;
    this.#silentChecks++;
    if (this.#silentChecks > maxSilentChecks) return `It showed no sign of life for ${maxSilentChecks} s.`;
    return this.#checks > maxChecks ? `It was not ready after ${maxChecks / 60} minutes.` : undefined;
  }
}
