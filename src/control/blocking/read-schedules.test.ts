import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSchedules, type ScheduleSent } from './read-schedules.ts';

const night: ScheduleSent = { days: ['mon'], from: '21:00', until: '06:30', time_zone: 'Europe/Berlin' };

describe('schedules as they are sent', () => {
  const accepted: readonly (readonly [string, object, object])[] = [
    ['as they should be', {}, {}],
    ['days in any order, and twice', { days: ['sun', 'mon', 'sun'] }, { days: ['mon', 'sun'] }],
    ['seconds that say nothing', { from: '21:00:00', until: '06:30:05' }, { until: '06:30:05' }],
    ['the end of the day', { until: '24:00:00' }, { until: '24:00' }],
    ['a zone in another case', { time_zone: 'europe/BERLIN' }, {}],
    ['an offset', { time_zone: '+05:45' }, { time_zone: '+05:45' }],
    ['without a zone', { time_zone: undefined }, { time_zone: 'Asia/Tokyo' }],
    ['from and until the same', { until: '21:00' }, { until: '21:00' }],
  ];
  for (const [what, sent, stored] of accepted)
    it(`${what}: accepted`, () => {
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
    it(`${JSON.stringify(wrong)}: refused, and said what to write`, () => {
      const outcome = readSchedules([night, { ...night, ...wrong }], 'UTC');
      assert.match(outcome.ok ? 'accepted' : outcome.problem, problem);
    });
});
