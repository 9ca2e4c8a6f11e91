// Converts local times to moments. Clock changes make this ambiguous. When the clock is set back, a local
// time occurs twice; the caller says which one it means. When it is set forward, some local times never
// occur; they stand for the moment of the change, when the clock first shows a later time.

type Side = 'earlier' | 'later';

/** Unix seconds. `seconds`: local time since midnight; 86,400 is the next midnight. */
export function momentOf(date: Temporal.PlainDate, seconds: number, timeZone: string, side: Side): number {
  const wall = date.toPlainDateTime().add({ seconds });
  const met = wall.toZonedDateTime(timeZone, { disambiguation: side });
  const moment = met.toPlainDateTime().equals(wall) ? met : jumpOver(wall, timeZone);
  return Math.floor(moment.epochMilliseconds / 1000);
}

/** 'earlier' gives a moment before the clock change; the next transition is the change. */
function jumpOver(wall: Temporal.PlainDateTime, timeZone: string): Temporal.ZonedDateTime {
  const before = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  return before.getTimeZoneTransition('next') ?? before;
}

export function dateAt(unixSeconds: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(unixSeconds * 1000)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
}
