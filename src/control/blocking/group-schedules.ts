// The schedule state of a group now, and the next change of any group. A state is valid until its next
// change, so it is cached per schedules: every plan needs the states of all groups, and time zone
// calculations are slow.

import type { Schedule } from '#store';
import { scheduleState, type ScheduleState } from './schedule-state.ts';

interface Scheduled {
  readonly schedules: readonly Schedule[];
}

interface CachedState {
  readonly state: ScheduleState;
  readonly fromSeconds: number;
}

const cache = new WeakMap<readonly Schedule[], CachedState>();

export function scheduleStateOf({ schedules }: Scheduled, nowSeconds: number): ScheduleState {
  const cached = cache.get(schedules);
  if (cached !== undefined && isValid(cached, nowSeconds)) return cached.state;
  const state = scheduleState(schedules, nowSeconds);
  cache.set(schedules, { state, fromSeconds: nowSeconds });
  return state;
}

/** Not valid before `fromSeconds`: the clock may have been set back. */
function isValid({ state, fromSeconds }: CachedState, nowSeconds: number): boolean {
  return nowSeconds >= fromSeconds && nowSeconds < untilOf(state);
}

function untilOf({ nextChangeSeconds }: ScheduleState): number {
  return nextChangeSeconds ?? Number.POSITIVE_INFINITY;
}

/** When the schedules of any group next change its state, in Unix seconds; Infinity: never. */
export function nextScheduleChange(groups: readonly Scheduled[], nowSeconds: number): number {
  return groups.reduce(
    (next, group) => Math.min(next, untilOf(scheduleStateOf(group, nowSeconds))),
    Number.POSITIVE_INFINITY,
  );
}
