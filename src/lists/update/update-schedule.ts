// When lists are due. Every wait has ±10 % jitter, so that installations do not all fetch in the same second.
// A failed list is retried sooner than the interval, with exponential backoff.

const jitter = 0.1;
const firstRetryMs = 300_000;
const maxDoublings = 16;

export interface ScheduleState {
  /** When the list was last updated; undefined when it never was. */
  readonly lastMs: number | undefined;
  /** Consecutive failed updates. */
  readonly failures: number;
  readonly intervalMs: number;
}

/** `random`: from 0 (inclusive) to 1 (exclusive); drawn once per update, else the due time would shift. */
export function nextUpdateMs(
  { lastMs, failures, intervalMs }: ScheduleState,
  random: number,
  nowMs: number,
): number {
  // If the clock was set back, the last update may lie years in the future.
  if (lastMs === undefined || lastMs > nowMs + intervalMs) return nowMs;
  const waitMs = failures === 0 ? intervalMs : Math.min(intervalMs, retryMs(failures, firstRetryMs));
  return Math.max(nowMs, lastMs + withJitter(waitMs, random));
}

/** The wait after a failed attempt: 1, 2, 4 … times the first, with jitter. */
export function backoffMs(attempt: number, firstMs: number, random: number): number {
  return withJitter(retryMs(attempt, firstMs), random);
}

function retryMs(attempt: number, firstMs: number): number {
  return firstMs * 2 ** Math.min(attempt - 1, maxDoublings);
}

function withJitter(ms: number, random: number): number {
  return Math.round(ms * (1 - jitter + 2 * jitter * random));
}
