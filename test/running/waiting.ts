// Waiting with a bound: a test that waits for something says for what and for how long, and fails with that
// sentence instead of hanging.

import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 20;
/** For machines that are busy: a list has 20 s of idle time before it is compiled in another way. */
const usualMaxMs = 60_000;
const attemptSeconds = [2, 6, 20, 60];

/** Looks again and again until there is something; fails with `what` when there is nothing in time. */
export const until = async <T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  maxMs = usualMaxMs,
  everyMs = lookEveryMs,
): Promise<T> => {
  const endMs = performance.now() + maxMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${maxMs} ms.`);
    await sleep(everyMs);
  }
};

/**
 * For what must be seen before some time is over: tried with more time each time, until it was seen early
 * enough. An attempt that came too late on a busy machine gives nothing back, and has proved nothing.
 */
export const withTime = async <T>(
  what: string,
  attempt: (seconds: number) => Promise<T | undefined>,
): Promise<T> => {
  for (const seconds of attemptSeconds) {
    const found = await attempt(seconds);
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: too late, even with ${attemptSeconds.at(-1)} s.`);
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
