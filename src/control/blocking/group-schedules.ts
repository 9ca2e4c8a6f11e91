// The schedules of groups as the rest of the server asks for them: the state of one group now, and when the
// next of all of them changes. A state holds until its next change, so it is kept with the schedules it was
// made of: rules are looked at with every change of anything, and time zones take their time.

import type { Schedule } from '#store';
import { scheduleState, type ScheduleState } from './schedule-state.ts';

interface Scheduled {
  readonly schedules: readonly Schedule[];
}

interface Kept {
  readonly state: ScheduleState;
  readonly fromSeconds: number;
}

const kept = new WeakMap<readonly Schedule[], Kept>();

export const scheduleStateOf = ({ schedules }: Scheduled, nowSeconds: number): ScheduleState => {
  const known = kept.get(schedules);
  if (known !== undefined && isStillTrue(known, nowSeconds)) return known.state;
  const state = scheduleState(schedules, nowSeconds);
  kept.set(schedules, { state, fromSeconds: nowSeconds });
  return state;
};

/** A clock that was put back may stand before anything that is known. */
const isStillTrue = ({ state, fromSeconds }: Kept, nowSeconds: number): boolean =>
  nowSeconds >= fromSeconds && nowSeconds < untilOf(state);

const untilOf = ({ nextChangeSeconds }: ScheduleState): number =>
  nextChangeSeconds ?? Number.POSITIVE_INFINITY;

/** When the next of the groups is let in or out by its schedules, in Unix seconds; Infinity: never. */
export const nextScheduleChange = (groups: readonly Scheduled[], nowSeconds: number): number =>
  groups.reduce(
    (next, group) => Math.min(next, untilOf(scheduleStateOf(group, nowSeconds))),
    Number.POSITIVE_INFINITY,
  );
