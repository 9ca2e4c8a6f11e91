import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dateOrNever, dateText, yesNo } from './cells.ts';

describe('cells', () => {
  it('show times in the local time zone, with two digits each', () => {
    const seconds = (...parts: [number, number, number, number, number]): number =>
      new Date(...parts).getTime() / 1000;
    assert.equal(dateText(seconds(2026, 0, 2, 3, 4)), '2026-01-02 03:04');
    assert.equal(dateText(seconds(2026, 10, 15, 23, 59) + 59.9), '2026-11-15 23:59');
  });

  it('show a missing time as never', () => {
    assert.equal(dateOrNever(null), 'never');
    assert.equal(dateOrNever(0), dateText(0));
  });

  it('show booleans as words', () => assert.deepEqual([yesNo(true), yesNo(false)], ['yes', 'no']));
});
