import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RE2JS } from 're2js';

import * as fc from '../../../test/running/properties.ts';
import { NameText } from '../decide/name-text.ts';
import { nameOf } from '#testing/policy/rules';
import { maxSteps } from './cost.ts';
import { Matcher, Run } from './matcher.ts';
import { longNames, testAutomaton } from '#testing/policy/expressions';

const atom = fc.constantFrom(
  'a',
  'b',
  'ab',
  'a\\.b',
  '.',
  '[a-b]',
  '[^.]',
  '\\d',
  '\\w',
  '[0-9_]',
  '\\.',
  '-',
);
const edge = fc.constantFrom('^', '$', '\\b', '\\B', '(?i:A)', '');
const tail = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,4}', '{2,}', '*?', '{0,3}');

const anyExpression: fc.Arbitrary<string> = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, tail).map(([one, more]) => `(?:${one})${more}`),
    edge,
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), tail)
      .map(([open, inner, more]) => `${open}${inner})${more}`),
  ),
  pattern: fc
    .array(fc.tuple(tie('piece'), fc.constantFrom('', '', '|')), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.flat().join('')),
})).pattern;

const label = fc.string({ unit: fc.constantFrom(...Array.from('aabb01-_')), minLength: 1, maxLength: 8 });

/** With bytes that are not printable, and with dots and backslashes inside a label. */
const oddLabel = fc
  .array(fc.constantFrom('a', 'b', '1', '-', '\\000', '\\032', '\\046', '\\092', '\\255'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((chars) => chars.join(''));

const anyName: fc.Arbitrary<string> = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .map((labels) => labels.join('.'));

const anyOddName: fc.Arbitrary<string> = fc
  .array(fc.oneof(label, oddLabel), { minLength: 1, maxLength: 4 })
  .map((labels) => labels.join('.'));

function bytesOf(name: string): Uint8Array {
  return new NameText().of(nameOf(name), nameOf(name).length);
}

/** As expressions see it: one replacement character for each odd byte. */
function seenOf(name: string): string {
  return name.replaceAll(/\\\d{3}/gu, '\u{FFFD}');
}

function run(expression: string, name: string, most = Infinity) {
  const matcher = new Matcher([testAutomaton('decoy'), testAutomaton(expression), testAutomaton('^x')]);
  matcher.read(bytesOf(name));
  const outcome = matcher.run(1, most);
  return { outcome, steps: matcher.steps };
}

describe('an expression that is run', () => {
  const cases: readonly (readonly [expression: string, name: string, matches: boolean])[] = [
    ['ads', 'my-ads.example', true],
    ['^ads', 'my-ads.example', false],
    ['ADS', 'ads.example', true],
    ['ads$', 'example.ads', true],
    ['ads$', 'ads.example', false],
    ['^$', 'a', false],
    ['', 'a', true],
    ['\\bads\\b', 'my-ads.example', true],
    ['\\bads\\b', 'my_ads.example', false],
    ['\\Bads', 'myads.example', true],
    ['(?m)^b', 'a.b', false],
    ['a{3,5}b', 'aab', false],
    ['a{3,5}b', 'aaaaaab', true],
    ['^(.+\\.)?tele(metry|gram)[0-9]*\\.', 'x.y.telemetry12.example', true],
    ['x|^y|z$', 'a.z', true],
    ['^a.b[.]', 'a\\255b.example', true],
    ['^a[^.]b[.]', 'a\\046b.example', true],
    ['^a\\Wb', 'a\\032b.example', true],
    ['^a[.]b', 'a\\046b.example', false],
    ['[0-9]', 'a\\255b.example', false],
    ['\\\\', 'a\\092b.example', false],
    ['^[^.]{63}[.]', `${'\\255'.repeat(63)}.example`, true],
  ];
  for (const [expression, name, matches] of cases)
    it(`${expression || '(empty)'} ${matches ? 'matches' : 'does not match'} ${name.slice(0, 40)}`, () =>
      assert.equal(run(expression, name).outcome, matches ? Run.matches : Run.differs));

  it('matches exactly the names that re2js matches', () => {
    let matches = 0;
    fc.assert(
      fc.property(
        anyExpression,
        fc.array(fc.oneof(anyName, anyOddName), { minLength: 3, maxLength: 6 }),
        (expression, names) => {
          const compiled = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
          const automaton = testAutomaton(expression);
          const matcher = new Matcher([automaton]);
          const most = maxSteps(automaton);
          for (const name of names) {
            matcher.read(bytesOf(name));
            const isFound = compiled.matcher(seenOf(name)).find();
            if (isFound) matches += 1;
            assert.equal(
              matcher.run(0, Infinity),
              isFound ? Run.matches : Run.differs,
              `${expression} ${name}`,
            );
            assert.ok(matcher.steps <= most, `${expression} ${name}: ${matcher.steps} of ${most} steps`);
          }
        },
      ),
      { numRuns: 1500 },
    );
    assert.ok(matches > 500, `${matches} matches`);
  });

  it('takes no more steps for the longest names than its cost says', () => {
    for (const expression of ['.{0,40}.{0,40}q.{0,40}z$', '(.*a){20}b', '(a?){30}b', '^([^.]{1,63}\\.){3}zz'])
      for (const name of longNames) {
        const most = maxSteps(testAutomaton(expression));
        const { steps } = run(expression, name);
        assert.ok(steps <= most, `${expression}: ${steps} of ${most} steps for ${name}`);
      }
  });

  it('is aborted when its steps are used up, and not before', () => {
    const { outcome, steps } = run('(.*a){20}b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
    assert.equal(outcome, Run.differs);
    assert.equal(run('(.*a){20}b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', steps).outcome, Run.differs);
    assert.equal(
      run('(.*a){20}b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', steps - 1).outcome,
      Run.unfinished,
    );
  });
});
