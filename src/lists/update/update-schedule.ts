// When lists are due. Servers of lists must not be asked by everybody at the same second, so every waiting is
// spread by chance; what failed is tried again sooner, but ever later while it goes on failing.

/** A part of the interval, in both directions. */
const spread = 0.1;
const firstRetryMs = 300_000;
const doublingsMax = 16;

export interface ScheduleState {
  /** The end of the last update; nothing when there was none. */
  readonly lastMs: number | undefined;
  /** Updates in a row after which some list was not available. */
  readonly failures: number;
  readonly intervalMs: number;
}

/** `random`: from 0 up to but not 1; drawn once for each update, or the time would wander. */
export function nextUpdateMs(
  { lastMs, failures, intervalMs }: ScheduleState,
  random: number,
  nowMs: number,
): number {
  // A clock that was set back would make us wait for years.
  if (lastMs === undefined || lastMs > nowMs + intervalMs) return nowMs;
  const waitMs = failures === 0 ? intervalMs : Math.min(intervalMs, retryMs(failures, firstRetryMs));
  return Math.max(nowMs, lastMs + spreadBy(waitMs, random));
}

/** Between two tries of one list: 1, 2, 4 … times the first, spread. */
export const backoffMs = (attempt: number, firstMs: number, random: number): number =>
  spreadBy(retryMs(attempt, firstMs), random);

const retryMs = (attempt: number, firstMs: number): number =>
  firstMs * 2 ** Math.min(attempt - 1, doublingsMax);

const spreadBy = (ms: number, random: number): number => Math.round(ms * (1 - spread + 2 * spread * random));
