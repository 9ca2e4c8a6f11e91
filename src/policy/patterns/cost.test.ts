import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RE2JS } from 're2js';

import { automatonOf } from './automaton.ts';
import { maxExpressionSteps } from './budget.ts';
import { maxSteps } from './cost.ts';
import { testAutomaton } from '#testing/policy/expressions';

function cost(expression: string): number {
  return maxSteps(testAutomaton(expression));
}

describe('the cost of an expression', () => {
  const affordable = [
    'ads',
    '^ads[0-9]+\\.',
    '^(.+[_.-])?adse?rv(er?|ice)?s?[0-9]*[_.-]',
    '^ad([sxv]?[0-9]*|system)[_.-]([^.[:space:]]+\\.){1,}|[_.-]ad([sxv]?[0-9]*|system)[_.-]',
    '[a-z].*[0-9].*x',
    '^[a-z0-9]{63}\\.',
    '^([a-z0-9-]{1,63}\\.){3}example',
    '(.*a){40}',
    'a'.repeat(1024),
    `(${'adserver|tracker|metrics|doubleclick|telemetry|analytics|banner|'.repeat(12)}x)`,
  ];
  for (const expression of affordable)
    it(`${expression.slice(0, 70)} is affordable`, () => assert.ok(cost(expression) <= maxExpressionSteps));

  const tooMuch = [
    '.{0,250}.{0,250}q.{0,250}.{0,250}z1$',
    '.{0,120}.{0,120}q',
    '([^.]{1,63}\\.){5}x',
    '(.?){100}x',
    '(a?){120}',
    '(.*.*.*.*a){20}',
  ];
  for (const expression of tooMuch)
    it(`${expression} is not affordable`, () => assert.ok(cost(expression) > maxExpressionSteps));

  it('is about states x 253 when the expression keeps all states open', () => {
    const states = 40;
    const steps = cost('.*x'.repeat(states / 2));
    assert.ok(steps > states * 253 && steps < 3 * states * 253, `${steps} steps`);
  });

  it('is lower for an expression that is anchored at the beginning', () => {
    assert.ok(cost('^[a-z]{60}') < 200);
    assert.ok(cost('[a-z]{60}') > 10_000);
  });

  it('is not counted beyond the given bound', () => {
    assert.ok(maxSteps(testAutomaton('.{0,120}.{0,120}q'), 1000) < 2000);
  });

  it('an expression with as many edges as the square of its states is refused', () => {
    const program = RE2JS.compile('(a?){500}', RE2JS.CASE_INSENSITIVE).re2().prog;
    assert.equal(automatonOf(program), undefined);
  });
});
