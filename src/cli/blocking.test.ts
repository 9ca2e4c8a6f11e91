import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateText } from './blocking.ts';

describe('the state of blocking', () => {
  const nowMs = new Date(2026, 0, 2, 3, 4).getTime();
  const table: readonly (readonly [boolean, number | null, string])[] = [
    [true, null, 'Blocking is on.'],
    [false, null, 'Blocking is off.'],
    [false, 900, 'Blocking is off; it is on again in 15 min 0 s, at 2026-01-02 03:19.'],
    [true, 7_200, 'Blocking is on; it is off again in 2 h 0 min, at 2026-01-02 05:04.'],
  ];
  for (const [blocking, timer, text] of table) {
    it(text, () => assert.equal(stateText({ blocking, timer }, nowMs), text));
  }
});
