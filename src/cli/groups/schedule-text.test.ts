import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSchedule } from './schedule-text.ts';

describe('the text of a time window', () => {
  const accepted: readonly (readonly [string, readonly string[], string, string, string?])[] = [
    ['mon 21:00-06:30', ['mon'], '21:00', '06:30'],
    ['mon-wed 21:00-06:30', ['mon', 'tue', 'wed'], '21:00', '06:30'],
    ['Sat-Mon 08:00 - 09:00', ['sat', 'sun', 'mon'], '08:00', '09:00'],
    ['mon,wed-thu 08:00-09:00:30 Europe/Berlin', ['mon', 'wed', 'thu'], '08:00', '09:00:30', 'Europe/Berlin'],
    ['fri-fri 00:00-24:00', ['fri'], '00:00', '24:00'],
    [' daily  12:00-13:00  UTC ', ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], '12:00', '13:00', 'UTC'],
  ];
  for (const [text, days, from, until, zone] of accepted)
    it(`"${text}" is accepted`, () => {
      const time_zone = zone === undefined ? {} : { time_zone: zone };
      assert.deepEqual(parseSchedule(text), { days, from, until, ...time_zone });
    });

  const refused = [
    '',
    'mon',
    '21:00-06:30',
    'mon 21:00',
    'xyz 21:00-06:30',
    'mon- 21:00-06:30',
    'mon-tue-wed 1:00-2:00',
    'mon, 1:00-2:00',
    'mon 1:00-2:00 UTC UTC',
  ];
  for (const text of refused) it(`"${text}" is rejected`, () => assert.equal(parseSchedule(text), undefined));
});
