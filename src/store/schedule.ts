// A schedule: days and times at which the rules of a group apply, as it is stored and as the API shows it.
// Its days are those on which it begins. If it does not end later than it begins, it ends on the next day:
// 21:00 to 06:30 is a night, and 07:00 to 07:00 is a whole day.

export const weekDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type WeekDay = (typeof weekDays)[number];

export interface Schedule {
  /** In the order of the week, each once. */
  readonly days: readonly WeekDay[];
  /** `21:00`, or `21:00:30`. */
  readonly from: string;
  /** As `from`; `24:00` is the end of the day. */
  readonly until: string;
  /** A name of the time zone database, or an offset such as +02:00. */
  readonly time_zone: string;
}

/** Expects a valid time, such as `21:00`. */
export function secondsOfDay(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}
