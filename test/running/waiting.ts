// Waiting with a timeout: a test that waits for a condition names the condition and the limit, and fails with
// that sentence instead of hanging.

import { setTimeout as sleep } from 'node:timers/promises';

/** The interval grows with the waiting time, because each check costs the test and the program some work. */
const checkEveryMs = { least: 20, most: 100 };
/** Long enough for a busy machine: after 20 s without idle time a list is compiled in another way. */
const usualMs = 60_000;

/**
 * Calls `check` repeatedly until it returns a value. Fails with `what` if that takes longer than `maxMs`.
 * `everyMs` fixes the interval, for conditions that hold only for a moment.
 */
export const until = async <T>(
  what: string,
  check: () => T | undefined | Promise<T | undefined>,
  maxMs = usualMs,
  everyMs?: number,
): Promise<T> => {
  const startMs = performance.now();
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > maxMs) throw new Error(`${what}: not within ${maxMs} ms.`);
    await sleep(everyMs ?? Math.min(Math.max(waitedMs / 10, checkEveryMs.least), checkEveryMs.most));
  }
};

/** The result of the promise, or a failure with `what` after `maxMs`. */
export const within = async <T>(what: string, maxMs: number, promise: Promise<T>): Promise<T> => {
  const late = new AbortController();
  const timeout = sleep(maxMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${what}: not within ${maxMs} ms.`);
  });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    late.abort();
  }
};
