// Whether the windows of a group are open, and when that changes next. A window is a stretch between two
// moments, not a comparison of clock times: it begins when the clock first shows its beginning and ends when
// the clock last shows its end. So it never flickers while the clock is put back, and is open whenever the
// clock on the wall shows a time in it.

import { secondsOfDay, weekDays, type Schedule } from '#store';
import { dateAt, momentOf } from './wall-time.ts';

export interface ScheduleState {
  readonly isActive: boolean;
  /** Unix seconds; null when nothing changes by itself. */
  readonly nextChangeSeconds: number | null;
}

/** Unix seconds, the end not included. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const always: ScheduleState = { isActive: true, nextChangeSeconds: null };
const daySeconds = 86_400;
/** A window that began the day before yesterday is over even where a day has 25 hours. */
const daysBack = 2;
/**
 * How far is looked ahead: hardly at all for windows of every day, and else so far that a weekly window comes
 * although the clock jumps over it once. What stays open for longer is always open.
 */
const daysAhead = [2, 16] as const;

/** No windows at all: always. */
export const scheduleState = (schedules: readonly Schedule[], nowSeconds: number): ScheduleState => {
  if (schedules.length === 0) return always;
  let state = always;
  for (const days of daysAhead) {
    state = stateWithin(schedules, nowSeconds, days);
    if (state.nextChangeSeconds !== null) break;
  }
  return state;
};

const stateWithin = (schedules: readonly Schedule[], nowSeconds: number, days: number): ScheduleState => {
  // The last day looked at may be cut off in any of the time zones.
  const horizon = nowSeconds + (days - 1) * daySeconds;
  const spans = schedules
    .flatMap((schedule) => spansOf(schedule, nowSeconds, days))
    .filter(({ start, end }) => end > nowSeconds && start < end)
    .toSorted((a, b) => a.start - b.start);
  let openUntil = nowSeconds;
  for (const { start, end } of spans) if (start <= openUntil) openUntil = Math.max(openUntil, end);
  const isActive = openUntil > nowSeconds;
  const next = isActive ? openUntil : (spans[0]?.start ?? horizon);
  return { isActive, nextChangeSeconds: next < horizon ? next : null };
};

const spansOf = ({ days, from, until, time_zone }: Schedule, nowSeconds: number, ahead: number): Span[] => {
  const [fromSeconds, untilSeconds] = [secondsOfDay(from), secondsOfDay(until)];
  const endsAfterDays = untilSeconds <= fromSeconds ? 1 : 0;
  const today = dateAt(nowSeconds, time_zone);
  const spans: Span[] = [];
  for (let offset = -daysBack; offset <= ahead; offset++) {
    const date = today.add({ days: offset });
    const day = weekDays[date.dayOfWeek - 1];
    if (day === undefined || !days.includes(day)) continue;
    const start = momentOf(date, fromSeconds, time_zone, 'earlier');
    const end = momentOf(date.add({ days: endsAfterDays }), untilSeconds, time_zone, 'later');
    spans.push({ start, end });
  }
  return spans;
};
