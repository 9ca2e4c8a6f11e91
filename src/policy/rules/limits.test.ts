// Every limit of the scanner at its edge: the last value that is accepted, and the first that is not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  MAX_LOOSE_PATTERNS,
  MAX_MODIFIER_VALUES,
  MAX_MODIFIERS,
  MAX_NAMES_PER_SETTING,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  MAX_SOA_LINES,
} from './limits.ts';
import { Invalid } from './reasons.ts';
import { scanText } from '#testing/policy/scan';

function times(count: number, make: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const EDGES: readonly (readonly [
  title: string,
  max: number,
  line: (size: number) => string,
  reason: RegExp,
])[] = [
  [
    'modifiers',
    MAX_MODIFIERS,
    (size) => `||a.example^$${times(size, () => 'important').join(',')}`,
    /too many mod/,
  ],
  [
    'values',
    MAX_MODIFIER_VALUES,
    (size) => `||a.example^$ctag=${times(size, () => 'x').join('|')}`,
    /too many val/,
  ],
  ['a pattern', MAX_PATTERN_CHARACTERS, (size) => `/${'a'.repeat(size)}/`, /too long/],
  ['a wildcard', MAX_PATTERN_CHARACTERS, (size) => `|${'a'.repeat(size - 1)}*`, /too long/],
];

describe('a limit', () => {
  for (const [title, max, line, reason] of EDGES) {
    it(`of ${title}`, () => {
      assert.equal(scanText(line(max)).report.entries, 1);
      const { report } = scanText(line(max + 1));
      assert.equal(report.entries, 0);
      assert.match(report.samples[0]?.reason ?? '', reason);
    });
  }

  it('of names in one line', () => {
    const line = (size: number): string => `address=/${times(size, (index) => `n${index}.x`).join('/')}/`;
    assert.equal(scanText(line(MAX_NAMES_PER_SETTING)).report.entries, MAX_NAMES_PER_SETTING);
    const { report } = scanText(line(MAX_NAMES_PER_SETTING + 1));
    assert.deepEqual([report.entries, report.samples[0]?.reason], [0, Invalid.tooManyNames]);
  });

  it('of loose patterns in one list, wildcards included', () => {
    const lines = times(MAX_LOOSE_PATTERNS + 2, (index) =>
      index % 2 === 0 ? `/[a-z].*[0-9].*x${index}/` : `||a*${index}.example^`,
    );
    const { report } = scanText([...lines, '||ads*.example^', '/^ads[0-9]+[.]/'].join('\n'));
    assert.deepEqual([report.entries, report.invalid], [MAX_LOOSE_PATTERNS + 2, 2]);
    assert.equal(report.samples[0]?.reason, Invalid.tooManyLoose);
  });

  it('of patterns in one list, wildcards included', () => {
    const lines = times(MAX_PATTERNS + 2, (index) =>
      index % 2 === 0 ? `/^a${index}$/` : `||abc${index}.*.x^`,
    );
    const { report } = scanText([...lines, 'last.example'].join('\n'));
    assert.deepEqual([report.entries, report.invalid], [MAX_PATTERNS + 1, 2]);
    assert.equal(report.samples[0]?.reason, Invalid.tooManyPatterns);
  });

  it('of lines in an open parenthesis', () => {
    const zone = ['@ SOA a. b. (', ...times(MAX_SOA_LINES, () => 'hidden.example'), 'a.example'];
    assert.deepEqual(scanText(zone.join('\n')).rules, ['block exact a.example']);
  });
});
