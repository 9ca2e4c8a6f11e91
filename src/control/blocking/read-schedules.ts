// Validates the schedules of a request and converts them to the stored form. Every refusal names the window
// and says what is allowed: a window that is silently misunderstood would be noticed only when it matters.

import { nearest } from '#contract';
import { weekDays, type Schedule, type WeekDay } from '#store';

export interface ScheduleSent {
  readonly days: readonly string[];
  readonly from: string;
  readonly until: string;
  readonly time_zone?: string | undefined;
}

type SchedulesRead =
  | { readonly ok: true; readonly schedules: readonly Schedule[] }
  | { readonly ok: false; readonly problem: string };

const timePattern = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/;
const endOfDayPattern = /^24:00(?::00)?$/;
const fields = new Set(['days', 'from', 'until', 'time_zone']);

/** `systemZone`: for windows without a time zone. */
export function readSchedules(sent: readonly ScheduleSent[], systemZone: string): SchedulesRead {
  const schedules: Schedule[] = [];
  for (const [index, window] of sent.entries()) {
    const zone = knownZone(window.time_zone ?? systemZone);
    const problem = problemOf(window, zone);
    if (problem !== undefined || zone === undefined)
      return { ok: false, problem: `schedules[${index}]${problem ?? ''}` };
    schedules.push({
      days: sortedDays(window.days),
      from: shortTime(window.from),
      until: shortTime(window.until),
      time_zone: zone,
    });
  }
  return { ok: true, schedules };
}

function problemOf(window: ScheduleSent, zone: string | undefined): string | undefined {
  const unknownField = Object.keys(window).find((name) => !fields.has(name));
  if (unknownField !== undefined)
    return `.${unknownField} is not known; a window has days, from, until and time_zone.`;
  if (window.days.length === 0)
    return '.days is empty: name at least one of mon, tue, wed, thu, fri, sat, sun.';
  const wrongDay = window.days.find((day) => !isWeekDay(day));
  if (wrongDay !== undefined)
    return `.days: "${wrongDay}" is no day; write mon, tue, wed, thu, fri, sat or sun.`;
  if (!timePattern.test(window.from))
    return `.from: "${window.from}" is no time; write hours and minutes from 00:00 to 23:59.`;
  if (!timePattern.test(window.until) && !endOfDayPattern.test(window.until))
    return `.until: "${window.until}" is no time; write hours and minutes from 00:00 to 24:00.`;
  return zone === undefined ? zoneProblem(window.time_zone ?? '') : undefined;
}

/** In the spelling of the time zone database; undefined when the zone is unknown. */
function knownZone(name: string): string | undefined {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function zoneProblem(name: string): string {
  const meant = nearest(name, Intl.supportedValuesOf('timeZone'));
  const advice = meant === undefined ? 'write one such as Europe/Berlin or UTC' : `did you mean ${meant}?`;
  return `.time_zone: "${name}" is no time zone that is known here; ${advice}`;
}

function isWeekDay(day: string): day is WeekDay {
  return weekDays.some((known) => known === day);
}

function sortedDays(days: readonly string[]): readonly WeekDay[] {
  return weekDays.filter((day) => days.includes(day));
}

function shortTime(time: string): string {
  return time.replace(/^(\d\d:\d\d):00$/, '$1');
}
