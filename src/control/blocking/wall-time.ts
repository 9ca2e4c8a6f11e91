// From the time that a clock on the wall shows to the moment it stands for. Twice a year that is not one
// moment. Where the clock is put back, a time comes twice, and the caller says which of the two it means.
// Where it is put forward, some times never come: those stand for the moment of the jump, as that is when the
// clock shows a later time for the first time.

type Side = 'earlier' | 'later';

/** Unix seconds. `seconds`: since midnight by the clock; those of a whole day are the next midnight. */
export const momentOf = (date: Temporal.PlainDate, seconds: number, timeZone: string, side: Side): number => {
  const wall = date.toPlainDateTime().add({ seconds });
  const met = wall.toZonedDateTime(timeZone, { disambiguation: side });
  const moment = met.toPlainDateTime().equals(wall) ? met : jumpOver(wall, timeZone);
  return Math.floor(moment.epochMilliseconds / 1000);
};

/** The earlier reading of a time that never comes lies as far before the jump as that is wide. */
const jumpOver = (wall: Temporal.PlainDateTime, timeZone: string): Temporal.ZonedDateTime => {
  const before = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  return before.getTimeZoneTransition('next') ?? before;
};

export const dateAt = (unixSeconds: number, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(unixSeconds * 1000)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
