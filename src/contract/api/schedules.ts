// Schedules of groups: windows of days and times in which a group's rules apply. The schema of requests is
// loose and the service checks the values, so that a refusal can name the wrong window and what to write.

import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { UnixSeconds } from './shared.ts';

const weekDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const daysText = 'The days on which the window begins: mon, tue, wed, thu, fri, sat, sun';
const fromText = 'When it begins: `21:00`, or with seconds `21:00:30`';
const untilText = 'When it ends; on the next day if it is not after `from`. `24:00` is the end of the day';
const zoneText = 'A name of the time zone database, such as Europe/Berlin, or an offset such as +02:00';
/** Longer than any valid value, so that the service reports the problem and not the schema. */
const sentLength = 64;

export const Schedule = Type.Object(
  {
    days: Type.Array(Type.Enum(weekDays), { description: daysText }),
    from: Type.String({ description: fromText }),
    until: Type.String({ description: untilText }),
    time_zone: Type.String({ description: zoneText }),
  },
  { title: 'Schedule' },
);

export const SchedulesSent = Type.Optional(
  Type.Array(
    Type.Object({
      days: Type.Array(Type.String({ maxLength: sentLength }), {
        maxItems: sentLength,
        description: daysText,
        examples: [['mon', 'tue', 'wed', 'thu', 'sun']],
      }),
      from: Type.String({ maxLength: sentLength, description: fromText, examples: ['21:00'] }),
      until: Type.String({ maxLength: sentLength, description: untilText, examples: ['06:30'] }),
      time_zone: Type.Optional(
        Type.String({
          maxLength: limits.timeZoneLength,
          description: `${zoneText}; by default that of the machine`,
          examples: ['Europe/Berlin'],
        }),
      ),
    }),
    {
      maxItems: limits.schedulesPerGroup,
      description: 'When its rules apply; empty: always. By default unchanged',
    },
  ),
);

export const ScheduleState = Type.Object(
  {
    active: Type.Boolean({ description: 'Whether one of the windows is open; true without windows' }),
    next_change: Type.Union([UnixSeconds, Type.Null()], {
      description: 'When that changes next, as Unix time in seconds; null for never',
    }),
  },
  { title: 'ScheduleState' },
);

export const bedtime = {
  days: ['mon', 'tue', 'wed', 'thu', 'sun'],
  from: '21:00',
  until: '06:30',
  time_zone: 'Europe/Berlin',
};
