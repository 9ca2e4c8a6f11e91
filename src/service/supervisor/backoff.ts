// Backoff for the restart of a thread that died: no delay the first time, then an exponential delay up to a
// limit, so that a thread that keeps dying does not use up the processor. A thread that ran for a minute
// resets it.

const firstDelayMs = 100;
const maxDelayMs = 10_000;
const steadyAfterMs = 60_000;

export interface Backoff {
  /** The delay before the next start of a thread that ran for this long. */
  readonly next: (livedMs: number) => number;
}

/** `maxMs` limits the delay of threads that must be back soon. */
export function createBackoff(maxMs = maxDelayMs): Backoff {
  let failures = 0;
  return {
    next: (livedMs) => {
      if (livedMs >= steadyAfterMs) failures = 0;
      const delayMs = failures === 0 ? 0 : Math.min(maxMs, firstDelayMs * 2 ** (failures - 1));
      failures++;
      return delayMs;
    },
  };
}
