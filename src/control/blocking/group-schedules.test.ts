import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextScheduleChange, scheduleStateOf } from './group-schedules.ts';
import type { Schedule } from '#store';

function seconds(text: string): number {
  return Date.parse(text) / 1000;
}

const morning: Schedule = { days: ['wed'], from: '08:00', until: '10:00', time_zone: 'UTC' };

describe('the schedule state of a group', () => {
  it('is correct when the clock goes forward or back', () => {
    const group = { schedules: [morning] };
    const moments: readonly (readonly [string, boolean])[] = [
      ['2026-11-18T07:00Z', false],
      ['2026-11-18T08:00Z', true],
      ['2026-11-18T09:59:59Z', true],
      ['2026-11-18T10:00Z', false],
      ['2026-11-18T09:00Z', true],
      ['2026-11-11T10:30Z', false],
      ['2027-11-17T09:00Z', true],
    ];
    for (const [moment, isActive] of moments)
      assert.equal(scheduleStateOf(group, seconds(moment)).isActive, isActive, moment);
  });

  it('is cached until it changes', () => {
    const group = { schedules: [morning] };
    const first = scheduleStateOf(group, seconds('2026-11-18T08:00Z'));
    assert.equal(scheduleStateOf(group, seconds('2026-11-18T09:00Z')), first);
    assert.notEqual(scheduleStateOf(group, seconds('2026-11-18T10:00Z')), first);
  });

  it('nextScheduleChange returns the earliest change of all groups', () => {
    const groups = [{ schedules: [] }, { schedules: [morning] }];
    assert.equal(nextScheduleChange(groups, seconds('2026-11-18T07:00Z')), seconds('2026-11-18T08:00Z'));
    assert.equal(nextScheduleChange([{ schedules: [] }], 0), Number.POSITIVE_INFINITY);
  });
});
