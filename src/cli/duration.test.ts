import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { durationSeconds, durationText, readDuration } from './duration.ts';

describe('parsing of durations', () => {
  const table: readonly (readonly [string, number | undefined])[] = [
    ['90s', 90],
    ['15m', 900],
    ['2h', 7_200],
    ['1d', 86_400],
    ['45', 45],
    ['1', 1],
    ['2H', 7_200],
    [' 5m ', 300],
    ['365d', 31_536_000],
    ['31536000', 31_536_000],
    ['31536001', undefined],
    ['366d', undefined],
    ['0', undefined],
    ['0d', undefined],
    ['', undefined],
    ['m', undefined],
    ['-5', undefined],
    ['-5m', undefined],
    ['1.5h', undefined],
    ['1h30m', undefined],
    ['5 m', undefined],
    ['1w', undefined],
    ['soon', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['9999999999', undefined],
    ['999999999d', undefined],
  ];
  for (const [text, seconds] of table) {
    it(`${JSON.stringify(text)} is ${seconds ?? 'not allowed'}`, () =>
      assert.equal(durationSeconds(text), seconds));
  }

  it('names the allowed durations in the error', () => {
    assert.equal(readDuration('15m'), 900);
    assert.throws(() => readDuration('soon'), /90s, 15m, 2h, 1d or a number of seconds, at most 365d/);
  });
});

describe('formatting of durations', () => {
  const table: readonly (readonly [number, string])[] = [
    [-3, '0 min 0 s'],
    [0, '0 min 0 s'],
    [59.6, '1 min 0 s'],
    [899, '14 min 59 s'],
    [3_600, '1 h 0 min'],
    [7_290, '2 h 1 min'],
    [86_400, '1 d 0 h'],
    [200_000, '2 d 7 h'],
  ];
  for (const [seconds, text] of table) {
    it(`${seconds} seconds are ${text}`, () => assert.equal(durationText(seconds), text));
  }
});
