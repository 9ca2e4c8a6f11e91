// The range "the last 24 hours", for questions and for the sums that are precomputed for them.

import type { Range } from './filter.ts';
import { slotSeconds } from './rollup-code.ts';

/** The current slot and the slots of the day before it. */
export const slotsPerDay = 145;
export const slotMs = slotSeconds * 1000;

/**
 * In whole slots, so that every statistic covers the same queries as the slots, also those that a clock
 * which ran ahead has left in the future.
 */
export function lastDay(nowMs: number): Range {
  const untilMs = (Math.floor(nowMs / slotMs) + 1) * slotMs;
  return { fromMs: untilMs - slotsPerDay * slotMs, untilMs };
}
