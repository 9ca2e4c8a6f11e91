import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSchedules, type ScheduleSent } from './read-schedules.ts';

const night: ScheduleSent = { days: ['mon'], from: '21:00', until: '06:30', time_zone: 'Europe/Berlin' };

describe('schedules in a request', () => {
  const accepted: readonly (readonly [string, object, object])[] = [
    ['in canonical form', {}, {}],
    ['days in any order and duplicated', { days: ['sun', 'mon', 'sun'] }, { days: ['mon', 'sun'] }],
    ['zero seconds are removed', { from: '21:00:00', until: '06:30:05' }, { until: '06:30:05' }],
    ['the end of the day', { until: '24:00:00' }, { until: '24:00' }],
    ['a zone in another case', { time_zone: 'europe/BERLIN' }, {}],
    ['an offset', { time_zone: '+05:45' }, { time_zone: '+05:45' }],
    ['without a zone', { time_zone: undefined }, { time_zone: 'Asia/Tokyo' }],
    ['from and until the same', { until: '21:00' }, { until: '21:00' }],
  ];
  for (const [what, sent, stored] of accepted)
    it(`are accepted: ${what}`, () => {
      const outcome = readSchedules([{ ...night, ...sent }], 'Asia/Tokyo');
      assert.deepEqual(outcome, { ok: true, schedules: [{ ...night, ...stored }] });
    });

  const refused: readonly (readonly [object, RegExp])[] = [
    [{ days: [] }, /^schedules\[1\]\.days is empty: name at least one of mon/u],
    [{ days: ['mon', 'Montag'] }, /^schedules\[1\]\.days: "Montag" is no day; write mon, tue/u],
    [
      { from: '9:00' },
      /^schedules\[1\]\.from: "9:00" is no time; write hours and minutes from 00:00 to 23:59/u,
    ],
    [{ from: '24:00' }, /\.from: "24:00" is no time/u],
    [{ from: '12:60' }, /\.from: "12:60" is no time/u],
    [{ until: '24:01' }, /\.until: "24:01" is no time; .* to 24:00/u],
    [{ until: '' }, /\.until: "" is no time/u],
    [{ time_zone: 'Europe/Berln' }, /"Europe\/Berln" is no time zone .*did you mean Europe\/Berlin\?/u],
    [{ time_zone: 'home' }, /"home" is no time zone .*write one such as Europe\/Berlin or UTC/u],
    [{ time_zone: '' }, /"" is no time zone/u],
    [{ timezone: 'UTC' }, /\.timezone is not known; a window has days, from, until and time_zone/u],
  ];
  for (const [wrong, problem] of refused)
    it(`are refused with a message: ${JSON.stringify(wrong)}`, () => {
      const outcome = readSchedules([night, { ...night, ...wrong }], 'UTC');
      assert.match(outcome.ok ? 'accepted' : outcome.problem, problem);
    });
});
