// A window of days and times in which a group's rules apply, as it is stored and as the API shows it. It
// belongs to the day on which it begins: one that ends at or before the time it begins at ends on the next
// day, so that 21:00 to 06:30 is a night and 07:00 to 07:00 is a whole day.

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

/** Of a text that has the form of a time. */
export const secondsOfDay = (time: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
};
