import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { weekDays, type Schedule } from '#store';
import { scheduleState } from './schedule-state.ts';

function window(days: string, from: string, until: string, time_zone: string): Schedule {
  return {
    days: weekDays.filter((day) => days.split(' ').includes(day)),
    from,
    until,
    time_zone,
  };
}

function seconds(text: string): number {
  return Date.parse(text) / 1000;
}

function iso(unixSeconds: number | null): string | null {
  return unixSeconds === null ? null : new Date(unixSeconds * 1000).toISOString().slice(0, 16);
}

type Row = readonly [what: string, schedule: Schedule, start: string, end: string];

const berlin = 'Europe/Berlin';
const lordHowe = 'Australia/Lord_Howe';
const rows: readonly Row[] = [
  ['within a day', window('wed', '08:00', '13:00', berlin), '2026-11-18T07:00Z', '2026-11-18T12:00Z'],
  [
    'with seconds',
    window('wed', '08:00:30', '08:01:15', 'UTC'),
    '2026-11-18T08:00:30Z',
    '2026-11-18T08:01:15Z',
  ],
  ['over midnight', window('tue', '21:00', '06:30', berlin), '2026-11-17T20:00Z', '2026-11-18T05:30Z'],
  [
    'over midnight at the end of the week',
    window('sun', '21:00', '06:30', 'UTC'),
    '2026-11-15T21:00Z',
    '2026-11-16T06:30Z',
  ],
  [
    'to the end of the day',
    window('tue', '21:00', '24:00', berlin),
    '2026-11-17T20:00Z',
    '2026-11-17T23:00Z',
  ],
  ['a whole day', window('tue', '00:00', '24:00', berlin), '2026-11-16T23:00Z', '2026-11-17T23:00Z'],
  [
    'from and until are equal: 24 hours',
    window('tue', '07:00', '07:00', berlin),
    '2026-11-17T06:00Z',
    '2026-11-18T06:00Z',
  ],
  [
    'with an offset as zone',
    window('tue', '07:00', '08:00', '+05:45'),
    '2026-11-17T01:15Z',
    '2026-11-17T02:15Z',
  ],
  [
    'a zone in which it is already the next day',
    window('wed', '01:00', '02:00', 'Pacific/Kiritimati'),
    '2026-11-17T11:00Z',
    '2026-11-17T12:00Z',
  ],

  [
    'Berlin, begins at a skipped time',
    window('sun', '02:30', '06:00', berlin),
    '2027-03-28T01:00Z',
    '2027-03-28T04:00Z',
  ],
  [
    'Berlin, ends at a skipped time',
    window('sun', '01:00', '02:30', berlin),
    '2027-03-28T00:00Z',
    '2027-03-28T01:00Z',
  ],
  [
    'Berlin, a night that ends at a skipped time',
    window('sat', '21:00', '02:30', berlin),
    '2027-03-27T20:00Z',
    '2027-03-28T01:00Z',
  ],
  [
    'Berlin, a night that is shorter',
    window('sat', '21:00', '06:30', berlin),
    '2027-03-27T20:00Z',
    '2027-03-28T04:30Z',
  ],
  [
    'Berlin, begins at a repeated time',
    window('sun', '02:30', '06:00', berlin),
    '2026-10-25T00:30Z',
    '2026-10-25T05:00Z',
  ],
  [
    'Berlin, ends at a repeated time',
    window('sun', '01:00', '02:30', berlin),
    '2026-10-24T23:00Z',
    '2026-10-25T01:30Z',
  ],
  [
    'Berlin, begins and ends at repeated times',
    window('sun', '02:15', '02:45', berlin),
    '2026-10-25T00:15Z',
    '2026-10-25T01:45Z',
  ],
  [
    'Berlin, a night that ends at a repeated time',
    window('sat', '22:00', '02:30', berlin),
    '2026-10-24T20:00Z',
    '2026-10-25T01:30Z',
  ],
  [
    'Berlin, a night that is longer',
    window('sat', '21:00', '06:30', berlin),
    '2026-10-24T19:00Z',
    '2026-10-25T05:30Z',
  ],

  [
    'New York, begins at a skipped time',
    window('sun', '02:30', '04:00', 'America/New_York'),
    '2027-03-14T07:00Z',
    '2027-03-14T08:00Z',
  ],
  [
    'New York, begins and ends at repeated times',
    window('sun', '01:30', '01:45', 'America/New_York'),
    '2026-11-01T05:30Z',
    '2026-11-01T06:45Z',
  ],

  [
    'Lord Howe, begins in a skipped half hour',
    window('sun', '02:15', '04:00', lordHowe),
    '2027-10-02T15:30Z',
    '2027-10-02T17:00Z',
  ],
  [
    'Lord Howe, a night that ends in a skipped half hour',
    window('sat', '22:00', '02:15', lordHowe),
    '2027-10-02T11:30Z',
    '2027-10-02T15:30Z',
  ],
  [
    'Lord Howe, begins in a repeated half hour',
    window('sun', '01:45', '03:00', lordHowe),
    '2027-04-03T14:45Z',
    '2027-04-03T16:30Z',
  ],
  [
    'Lord Howe, a night that ends in a repeated half hour',
    window('sat', '23:00', '01:45', lordHowe),
    '2027-04-03T12:00Z',
    '2027-04-03T15:15Z',
  ],

  [
    'Sydney, begins at a skipped time',
    window('sun', '02:30', '05:00', 'Australia/Sydney'),
    '2026-10-03T16:00Z',
    '2026-10-03T18:00Z',
  ],
  [
    'Sydney, begins at a repeated time',
    window('sun', '02:30', '05:00', 'Australia/Sydney'),
    '2027-04-03T15:30Z',
    '2027-04-03T19:00Z',
  ],
  [
    'Santiago, ends at a skipped midnight',
    window('sat', '21:00', '00:00', 'America/Santiago'),
    '2026-09-06T01:00Z',
    '2026-09-06T04:00Z',
  ],
  [
    'Santiago, a day that begins at 01:00',
    window('sun', '00:30', '06:00', 'America/Santiago'),
    '2026-09-06T04:00Z',
    '2026-09-06T09:00Z',
  ],
  [
    'Santiago, the hour before midnight is repeated',
    window('sat', '23:30', '24:00', 'America/Santiago'),
    '2027-04-04T02:30Z',
    '2027-04-04T04:00Z',
  ],
  [
    'Apia, a night into a skipped day',
    window('thu', '21:00', '06:30', 'Pacific/Apia'),
    '2011-12-30T07:00Z',
    '2011-12-30T10:00Z',
  ],
];

describe('a window opens and closes', () => {
  for (const [what, schedule, start, end] of rows)
    it(`${what}: ${start} to ${end}`, () => {
      const [first, last] = [seconds(start), seconds(end)];
      const at = (moment: number) => scheduleState([schedule], moment);
      assert.deepEqual(
        at(first - 1),
        { isActive: false, nextChangeSeconds: first },
        iso(at(first - 1).nextChangeSeconds) ?? '',
      );
      assert.deepEqual(
        at(first),
        { isActive: true, nextChangeSeconds: last },
        iso(at(first).nextChangeSeconds) ?? '',
      );
      assert.deepEqual(at(last - 1), { isActive: true, nextChangeSeconds: last });
      assert.equal(at(last).isActive, false);
    });
});

describe('schedules', () => {
  it('without any window are always active', () => {
    assert.deepEqual(scheduleState([], 0), { isActive: true, nextChangeSeconds: null });
  });

  it('with a window in a skipped hour are inactive until the next week', () => {
    const gap = window('sun', '02:10', '02:40', berlin);
    for (const moment of ['2027-03-28T00:59Z', '2027-03-28T01:00Z', '2027-03-28T01:30Z'])
      assert.deepEqual(scheduleState([gap], seconds(moment)), {
        isActive: false,
        nextChangeSeconds: seconds('2027-04-04T00:10Z'),
      });
  });

  it('with a window on a skipped day are inactive until the next week', () => {
    const skipped = window('fri', '08:00', '12:00', 'Pacific/Apia');
    const { isActive, nextChangeSeconds } = scheduleState([skipped], seconds('2011-12-30T09:00Z'));
    assert.deepEqual([isActive, iso(nextChangeSeconds)], [false, '2012-01-05T18:00']);
  });

  const everyDay = weekDays.join(' ');
  const alwaysOpen: readonly (readonly [string, readonly Schedule[]])[] = [
    ['every day, whole days', [window(everyDay, '00:00', '24:00', berlin)]],
    ['every day, from noon to noon', [window(everyDay, '12:00', '12:00', lordHowe)]],
    [
      'two windows that meet in a skipped or repeated hour',
      [window(everyDay, '00:00', '02:30', berlin), window(everyDay, '02:30', '24:00', berlin)],
    ],
    [
      'two windows in different zones',
      [window(everyDay, '06:00', '20:00', 'America/New_York'), window(everyDay, '18:00', '12:00', 'UTC')],
    ],
  ];
  for (const [what, schedules] of alwaysOpen)
    it(`are always active: ${what}`, () => {
      const around = ['2026-10-24T10:00Z', '2026-10-25T01:00Z', '2027-03-27T22:00Z', '2027-03-28T01:00Z'];
      for (const moment of around)
        assert.deepEqual(scheduleState(schedules, seconds(moment)), {
          isActive: true,
          nextChangeSeconds: null,
        });
    });

  it('with overlapping or adjacent windows count as one window', () => {
    const schedules = [
      window('wed', '08:00', '10:00', 'UTC'),
      window('wed', '09:00', '11:00', 'UTC'),
      window('wed', '12:00', '14:00', berlin),
      window('wed', '13:30', '13:45', 'UTC'),
    ];
    const { isActive, nextChangeSeconds } = scheduleState(schedules, seconds('2026-11-18T08:30Z'));
    assert.deepEqual([isActive, iso(nextChangeSeconds)], [true, '2026-11-18T13:00']);
  });

  it('with one day a week find their next change up to a week ahead', () => {
    const dates = { mon: 23, wed: 25, sun: 22 };
    for (const [day, date] of Object.entries(dates)) {
      const { nextChangeSeconds } = scheduleState(
        [window(day, '03:00', '04:00', 'UTC')],
        seconds('2026-11-18T04:00Z'),
      );
      assert.equal(iso(nextChangeSeconds), `2026-11-${date}T03:00`);
    }
  });
});
