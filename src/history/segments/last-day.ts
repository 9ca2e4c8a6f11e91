// What "the last 24 hours" are, for whoever asks and for what is made ready before somebody asks.

import type { Range } from './filter.ts';
import { slotSeconds } from './rollup-code.ts';

/** The current slot and those of a day before it. */
export const slotsPerDay = 145;
export const slotMs = slotSeconds * 1000;

/**
 * In whole slots: every statistic has the same queries in it as the slots have, also when a clock that was
 * ahead has left some in the future.
 */
export function lastDay(nowMs: number): Range {
  const untilMs = (Math.floor(nowMs / slotMs) + 1) * slotMs;
  return { fromMs: untilMs - slotsPerDay * slotMs, untilMs };
}
