// How long to wait before a thread that died is started again: at once the first time, then longer and longer
// up to a bound, so that a thread that cannot live does not eat the machine. One that lived for a while
// starts from the beginning.

const firstDelayMs = 100;
const delayMaxMs = 10_000;
const steadyAfterMs = 60_000;

export interface Backoff {
  /** The thread lived for this long; how long to wait now. */
  readonly next: (livedMs: number) => number;
}

/** `maxMs` bounds the wait for threads that are missed at once. */
export function createBackoff(maxMs = delayMaxMs): Backoff {
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
