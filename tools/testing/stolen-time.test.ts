import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchStolenTime } from './stolen-time.ts';

const before = 'cpu  100 0 50 800 10 0 5 35 7 7\ncpu0 1 2 3\n';
const cases = [
  ['no CPU time was stolen', 'cpu  200 0 50 900 10 0 5 35 9 9\n', undefined],
  ['a quarter was stolen', 'cpu  200 0 50 1000 10 0 5 135 7 7\n', /gave 25 % of this machine's CPU time/],
  ['no time has passed', before, undefined],
] as const;

for (const [title, after, expected] of cases)
  it(`stolen time is ${expected === undefined ? 'not ' : ''}reported when ${title}`, () => {
    const texts = [before, after];
    const report = watchStolenTime(() => texts.shift() ?? '')();
    if (expected === undefined) assert.equal(report, undefined);
    else assert.match(report ?? '', expected);
  });
