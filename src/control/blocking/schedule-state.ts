// Whether the schedules of a group are active, and when that changes next. A window is a span between two
// moments, not a comparison of local times: it begins when the local clock first shows its start and ends
// when the clock last shows its end. So it does not open twice when the clock is set back, and it is open
// whenever the local time is in it.

import { secondsOfDay, weekDays, type Schedule } from '#store';
import { dateAt, momentOf } from './wall-time.ts';

export interface ScheduleState {
  readonly isActive: boolean;
  /** Unix seconds; null: never. */
  readonly nextChangeSeconds: number | null;
}

/** Unix seconds; the end is exclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const always: ScheduleState = { isActive: true, nextChangeSeconds: null };
const daySeconds = 86_400;
/** Days to search back for an open window: it lasts a day at most, but a day may have 25 hours. */
const daysBack = 2;
/**
 * Days to search for the next change: two suffice for daily windows; 16 find a weekly window even if a clock
 * change skips it once. A window that is open for longer is always open.
 */
const daysAhead = [2, 16] as const;

/** Without windows, a group is always active. */
export function scheduleState(schedules: readonly Schedule[], nowSeconds: number): ScheduleState {
  if (schedules.length === 0) return always;
  let state = always;
  for (const days of daysAhead) {
    state = stateWithin(schedules, nowSeconds, days);
    if (state.nextChangeSeconds !== null) break;
  }
  return state;
}

function stateWithin(schedules: readonly Schedule[], nowSeconds: number, days: number): ScheduleState {
  // The last day may be incomplete in some time zone.
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
}

function spansOf({ days, from, until, time_zone }: Schedule, nowSeconds: number, ahead: number): Span[] {
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
}
