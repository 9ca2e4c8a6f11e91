// Parses the time windows of a schedule: `mon-fri 21:00-06:30`, `sat,sun 22:00-08:00 Europe/Berlin`,
// `daily 12:00-13:00`. The service checks whether the times and the time zone are valid.

import { InvalidArgumentError } from 'commander';

export interface ScheduleSent {
  days: string[];
  from: string;
  until: string;
  time_zone?: string;
}

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const pattern = /^(\S+)\s+([\d:]+)\s*-\s*([\d:]+)(?:\s+(\S+))?$/;

/** Undefined if the text is not a time window. */
export function parseSchedule(text: string): ScheduleSent | undefined {
  const [, daysText, from, until, zone] = pattern.exec(text.trim()) ?? [];
  const days = daysText === undefined ? undefined : daysOf(daysText.toLowerCase());
  if (days === undefined || from === undefined || until === undefined) return undefined;
  return { days, from, until, ...(zone === undefined ? {} : { time_zone: zone }) };
}

/** For commander; the option may be repeated. */
export function readSchedule(
  text: string,
  before: readonly ScheduleSent[] | undefined,
): readonly ScheduleSent[] {
  const schedule = parseSchedule(text);
  if (schedule !== undefined) return [...(before ?? []), schedule];
  throw new InvalidArgumentError(
    'Write days, times and optionally a time zone (default: that of the service): "mon-fri 21:00-06:30", ' +
      '"sat,sun 22:00-08:00 Europe/Berlin", "daily 12:00-13:00".',
  );
}

function daysOf(text: string): string[] | undefined {
  if (text === 'daily') return [...week];
  const parts = text.split(',').map(rangeOf);
  return parts.some((days) => days.length === 0) ? undefined : parts.flat();
}

/** `fri`, or `fri-mon`: the days from the first to the last. */
function rangeOf(text: string): string[] {
  const [first = '', last = first, ...more] = text.split('-');
  const [start, end] = [week.indexOf(first), week.indexOf(last)];
  if (start < 0 || end < 0 || more.length > 0) return [];
  const count = ((end - start + week.length) % week.length) + 1;
  return Array.from({ length: count }, (_, index) => week[(start + index) % week.length] ?? '');
}
