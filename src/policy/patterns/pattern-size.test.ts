// The size of patterns, compared with the programs that the engine compiles.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from '../../../test/running/properties.ts';
import { RE2JS } from 're2js';

import { patternSize } from './pattern-size.ts';

describe('the size of a pattern', () => {
  const cases: readonly (readonly [pattern: string, size: number])[] = [
    ['', 0],
    ['abc', 3],
    ['^ads[0-9]+\\.', 7],
    ['a{10}', 10],
    ['a{2,10}', 10],
    ['a{10,}', 11],
    ['a{,10}', 6],
    ['(?:ab){10}', 40],
    ['((a{10}){10}){10}', 1220],
    ['[a{5}]{3}', 3],
    ['\\({4}', 4],
    ['(?P<n>a)b', 4],
    ['a)b', 2],
    ['((a', 1],
    ['[a', 2],
    ['[a-z0-9_]{5}', 6],
    ['\\w', 3],
    ['\\pL', 36],
    ['\\p{Greek}{10}', 72],
    ['[^\\pL\\pN]{10}', 134],
    ['\\x{100}', 1],
    ['\\Q[a\\E{3}', 4],
    ['[B-\\x{1e942}]', 979],
  ];
  for (const [pattern, size] of cases) {
    it(`of ${pattern} is ${size}`, () => assert.equal(patternSize(pattern), size));
  }

  it('is close to the size of its compiled program', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[a-z]', '\\.', '[^.]', '^', '\\d', 'ads', '[[:alpha:]]');
    const tail = fc.constantFrom('', '', '', '*', '+', '?', '{3}', '{1,20}', '{2,}', '{30}');
    const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
      piece: fc.oneof(
        { maxDepth: 3 },
        fc.tuple(atom, tail).map(([one, more]) => (one === 'ads' || one === '^' ? one : `${one}${more}`)),
        fc
          .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), tail)
          .map(([open, inner, more]) => `${open}${inner})${more}`),
      ),
      pattern: fc
        .array(fc.tuple(tie('piece'), fc.constantFrom('', '', '|')), { minLength: 1, maxLength: 4 })
        .map((pieces) => pieces.flat().join('')),
    }));
    let tried = 0;
    fc.assert(
      fc.property(pattern, (text) => {
        const size = patternSize(text);
        fc.pre(size < 3000);
        const made = programSize(text);
        if (made === undefined) return;
        tried += 1;
        assert.ok(made <= 3 * size + 8, `${text}: ${size}, but ${made} instructions`);
      }),
      { numRuns: 1500 },
    );
    assert.ok(tried > 500, `${tried} patterns`);
  });

  it('is computed for any text without throwing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('ab({[}])|*+?^$.,:\\0123<P>')) }),
        (text) => {
          assert.ok(patternSize(text) >= 0);
        },
      ),
      { numRuns: 2000 },
    );
    assert.ok(patternSize('(a{1000}'.repeat(100) + '){1000}'.repeat(100)) > 1e6);
  });
});

function programSize(text: string): number | undefined {
  try {
    return RE2JS.compile(text, RE2JS.CASE_INSENSITIVE).programSize();
  } catch {
    return undefined;
  }
}
