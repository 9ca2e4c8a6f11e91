// Waiting with a bound: a test that waits for something says for what and for how long, and fails with that
// sentence instead of hanging.

import { setTimeout as sleep } from 'node:timers/promises';

/** At first, and less often when it takes longer: each look costs the test and the program some work. */
const lookEveryMs = { least: 20, most: 100 };
/** For machines that are busy: a list has 20 s of idle time before it is compiled in another way. */
const usualMaxMs = 60_000;

/**
 * Looks again and again until there is something, `everyMs` where a moment must not be missed; fails with
 * `what` when there is nothing in time.
 */
export const until = async <T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  maxMs = usualMaxMs,
  everyMs?: number,
): Promise<T> => {
  const startMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > maxMs) throw new Error(`${what}: not within ${maxMs} ms.`);
    await sleep(everyMs ?? Math.min(Math.max(waitedMs / 10, lookEveryMs.least), lookEveryMs.most));
  }
};

/** What the promise gives, or a failure with `what` when it takes longer. */
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
