import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { looksMax, Patience, silentLooksMax } from './patience.ts';

/** How many looks it takes to give up, and why, when the successor speaks before every so many looks. */
function looksUntilTheEnd(speaksEvery: number): readonly [number, string] {
  const patience = new Patience();
  for (let looks = 1; ; looks++) {
    if (looks % speaksEvery === 0) patience.heard();
    const problem = patience.look();
    if (problem !== undefined) return [looks, problem];
  }
}

describe('the patience with a successor', () => {
  it('ends after 30 s without a word', () => {
    const [looks, problem] = looksUntilTheEnd(Infinity);
    assert.equal(looks, silentLooksMax + 1);
    assert.match(problem, /no sign of life for 30 s/);
  });

  it('lasts ten minutes with a successor that speaks now and then', () => {
    const [looks, problem] = looksUntilTheEnd(silentLooksMax);
    assert.equal(looks, looksMax + 1);
    assert.match(problem, /not ready after 10 minutes/);
  });
});
