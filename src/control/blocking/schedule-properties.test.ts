import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from '../../../test/running/properties.ts';
import { secondsOfDay, weekDays, type Schedule } from '#store';
import { scheduleState } from './schedule-state.ts';

/** Times at which the clocks of a zone change, by 60, 30 and 120 minutes. */
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

/** The local time, from Intl: schedule-state.ts uses Temporal. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

function clockIn(timeZone: string) {
  const format = clocks.get(timeZone) ?? formatOf(timeZone);
  clocks.set(timeZone, format);
  return (moment: number): { readonly day: string; readonly time: number } => {
    const parts = new Map(format.formatToParts(moment * 1000).map(({ type, value }) => [type, value]));
    const time = secondsOfDay(`${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`);
    return { day: String(parts.get('weekday')).toLowerCase(), time };
  };
}

function dayBefore(day: string): string {
  return weekDays[(weekDays.findIndex((one) => one === day) + 6) % 7] ?? '';
}

/** Whether the local time is in the window. */
function isInWindow({ days, from, until, time_zone }: Schedule, moment: number): boolean {
  const { day, time } = clockIn(time_zone)(moment);
  const [start, end] = [secondsOfDay(from), secondsOfDay(until)];
  const has = (one: string): boolean => days.some((known) => known === one);
  if (start < end) return has(day) && time >= start && time < end;
  return (has(day) && time >= start) || (has(dayBefore(day)) && time < end);
}

/** Whether the clock is set back within two hours of this time. */
function isSetBackNear(timeZone: string, moment: number): boolean {
  const clock = clockIn(timeZone);
  const passed = clock(moment + twoHours).time - clock(moment - twoHours).time;
  return (passed + 86_400) % 86_400 < 2 * twoHours;
}

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
  it('a group is active when the local time is in a window, otherwise only around a clock change', () => {
    fc.assert(
      fc.property(scene, ({ schedules, moment }) => {
        const { isActive } = scheduleState(schedules, moment);
        if (schedules.some((schedule) => isInWindow(schedule, moment))) assert.equal(isActive, true);
        else if (isActive) assert.ok(isSetBackNear(String(schedules[0]?.time_zone), moment));
      }),
      { numRuns: 400 },
    );
  });

  it('the state changes at nextChangeSeconds, and not before', () => {
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
