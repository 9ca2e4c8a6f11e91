// Whether an expression can match any name, compared with names that it does match.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from '../../../test/running/properties.ts';
import { RE2JS } from 're2js';

import type { Program } from '../patterns/automaton.ts';
import { hasPossibleName } from './possible-name.ts';

function programOf(pattern: string): Program {
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).re2().prog;
}

describe('expressions that match no name', () => {
  const patterns = [
    '^$',
    '$^',
    '^\\.',
    '\\.$',
    '\\.\\.',
    ' ',
    'a:b',
    '[^ -~]',
    '\\n',
    'a^',
    '$a',
    'a\\bb',
    '\\B-\\B$x',
    '^(|\\.a)$',
    '[[:punct:]]{3}:',
    '(?m)a$\\.^',
  ];
  for (const pattern of patterns) it(pattern, () => assert.equal(hasPossibleName(programOf(pattern)), false));
});

describe('expressions that match some name', () => {
  const patterns = [
    '',
    '^',
    '^a$',
    '^.$',
    '(\\.|^)ads\\.',
    '[[:punct:]]',
    '\\bads\\b',
    'a\\Bb',
    '^[^.]+$',
    '(?i)ADS',
    '-',
    'a{100}',
    '(a|b|c){3,}\\.x',
    '^xn--[a-z0-9-]+$',
    '^(?:$|a)',
    '(?:a:|b)+',
  ];
  for (const pattern of patterns) it(pattern, () => assert.equal(hasPossibleName(programOf(pattern)), true));

  it('an expression that is too large to be checked is accepted', () => {
    const many = Array.from({ length: 600 }, (_, at) => `x${at}y`).join('|');
    assert.equal(hasPossibleName(programOf(`(${many})*(${many})* `)), true);
  });
});

describe('any expression', () => {
  const part = fc.constantFrom(
    'a',
    'b',
    '\\.',
    '-',
    '_',
    ' ',
    ':',
    '^',
    '$',
    '\\b',
    '\\B',
    '[ab]',
    '.',
    '[^a]',
    '',
  );
  const pattern = fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      part,
      fc.tuple(tie('any'), tie('any')).map(([left, right]) => `${left}${right}`),
      fc.tuple(tie('any'), tie('any')).map(([left, right]) => `(?:${left}|${right})`),
      tie('any').map((inner) => `(?:${inner})*`),
    ),
  })).any;
  const label = fc.string({ unit: fc.constantFrom('a', 'b', '-', '_'), minLength: 1, maxLength: 3 });
  const names = fc.array(
    fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')),
    { minLength: 20, maxLength: 20 },
  );

  it('that matches a name can match one', () => {
    fc.assert(
      fc.property(pattern, names, (text, some) => {
        const compiled = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
        const matched = some.find((name) => compiled.matcher(name).find());
        if (matched !== undefined) assert.ok(hasPossibleName(programOf(text)), `${text} matches ${matched}`);
      }),
      { numRuns: 3000 },
    );
  });
});
