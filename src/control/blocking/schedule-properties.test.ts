import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from '../../../test/running/properties.ts';
import { secondsOfDay, weekDays, type Schedule } from '#store';
import { scheduleState } from './schedule-state.ts';

/** Moments around which the clocks of a zone are put forward or back, by 60, 30 and 120 minutes. */
const changes = [
  ['Europe/Berlin', '2027-03-28T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2027-03-14T07:00Z'],
  ['America/St_Johns', '2026-11-01T04:30Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00Z'],
  ['Australia/Lord_Howe', '2027-10-02T15:30Z'],
  ['Australia/Sydney', '2026-10-03T16:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['America/Santiago', '2027-04-04T03:00Z'],
  ['Africa/Cairo', '2027-04-29T22:00Z'],
  ['Africa/Cairo', '2026-10-29T21:00Z'],
  ['Antarctica/Troll', '2027-03-28T01:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00Z'],
  ['UTC', '2027-01-01T00:00Z'],
] as const;

const twoHours = 7_200;
const twoDays = 172_800;
const minute = 60;

/** What a clock on the wall shows, told by another part of the platform than the one that is tried. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });

const clockIn = (timeZone: string) => {
  const format = clocks.get(timeZone) ?? formatOf(timeZone);
  clocks.set(timeZone, format);
  return (moment: number): { readonly day: string; readonly time: number } => {
    const parts = new Map(format.formatToParts(moment * 1000).map(({ type, value }) => [type, value]));
    const time = secondsOfDay(`${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`);
    return { day: String(parts.get('weekday')).toLowerCase(), time };
  };
};

const dayBefore = (day: string): string => weekDays[(weekDays.findIndex((one) => one === day) + 6) % 7] ?? '';

/** Whether the clock shows a time in the window. */
const isShown = ({ days, from, until, time_zone }: Schedule, moment: number): boolean => {
  const { day, time } = clockIn(time_zone)(moment);
  const [start, end] = [secondsOfDay(from), secondsOfDay(until)];
  const has = (one: string): boolean => days.some((known) => known === one);
  if (start < end) return has(day) && time >= start && time < end;
  return (has(day) && time >= start) || (has(dayBefore(day)) && time < end);
};

/** Whether the clock is put back at about this time: later it shows an earlier time than it should. */
const isPutBackNear = (timeZone: string, moment: number): boolean => {
  const clock = clockIn(timeZone);
  const passed = clock(moment + twoHours).time - clock(moment - twoHours).time;
  return (passed + 86_400) % 86_400 < 2 * twoHours;
};

const timeText = fc
  .integer({ min: 0, max: 1_439 })
  .map((minutes) =>
    [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':'),
  );

const scene = fc.constantFrom(...changes).chain(([time_zone, at]) =>
  fc.record({
    schedules: fc.array(
      fc.record({
        days: fc.subarray([...weekDays], { minLength: 1 }),
        from: timeText,
        until: timeText,
        time_zone: fc.constant(time_zone),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    moment: fc
      .oneof(fc.integer({ min: -twoHours, max: twoHours }), fc.integer({ min: -twoDays, max: twoDays }))
      .map((offset) => Math.floor((Date.parse(at) / 1000 + offset) / minute) * minute),
  }),
);

describe('random windows in time zones with clock changes', () => {
  it('a group is active when the clock shows a time of a window, otherwise only while it is set back', () => {
    fc.assert(
      fc.property(scene, ({ schedules, moment }) => {
        const { isActive } = scheduleState(schedules, moment);
        if (schedules.some((schedule) => isShown(schedule, moment))) assert.equal(isActive, true);
        else if (isActive) assert.ok(isPutBackNear(String(schedules[0]?.time_zone), moment));
      }),
      { numRuns: 400 },
    );
  });

  it('nothing changes before the next change, and then it does', () => {
    fc.assert(
      fc.property(scene, fc.double({ min: 0, max: 0.999, noNaN: true }), ({ schedules, moment }, part) => {
        const { isActive, nextChangeSeconds: next } = scheduleState(schedules, moment);
        if (next === null) return;
        const between = moment + Math.floor((next - moment) * part);
        for (const one of [between, next - 1])
          assert.deepEqual(scheduleState(schedules, one), { isActive, nextChangeSeconds: next });
        assert.equal(scheduleState(schedules, next).isActive, !isActive);
      }),
      { numRuns: 150 },
    );
  });
});
