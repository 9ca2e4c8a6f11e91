// Which expressions are loose: real ones of lists, and ones that cost milliseconds when there are many.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isLoosePattern } from './loose-pattern.ts';

const TIGHT = [
  'ads',
  '^ads[0-9]+\\.',
  '(?:^|\\.)ads.*\\.example$',
  '(^|\\.)track(er|ing)?[0-9]*\\.',
  '(?:^|\\.)mobileanalytics\\..*\\.amazonaws\\.com$',
  '^[a-z]{3}ads\\.',
  '\\.*x',
  '-ads\\.example$',
];
const LOOSE = [
  '.*',
  '[a-z].*[0-9].*x',
  '[a-m].{20}x',
  '^(.+[_.-])?adse?rv(er?|ice)?s?[0-9]*[_.-]',
  '(?:^|\\.)s.*\\.example$',
  '(?:^|\\.)metric.*\\.a.*\\.example$',
  '(ads|b).*x',
  'b|ads.*x',
  'adserver|a.*x',
  '([a-z]x){30}',
  '\\w+-ads',
];

describe('a loose expression', () => {
  for (const pattern of TIGHT) it(`is not ${pattern}`, () => assert.equal(isLoosePattern(pattern), false));
  for (const pattern of LOOSE) it(`is ${pattern}`, () => assert.equal(isLoosePattern(pattern), true));
});
