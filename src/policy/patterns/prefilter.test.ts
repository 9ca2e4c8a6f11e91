import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Prefilter } from './prefilter.ts';
import { requiredGrams } from './required-grams.ts';
import { Code, codeOf } from './char-codes.ts';
import { testAutomaton } from '#testing/policy/expressions';

/** `^` and `$` are the ends of the name. */
function shown(gram: number, size: number): string {
  return Array.from({ length: size }, (_, at) => (gram >> (6 * (size - 1 - at))) & 63)
    .map((code) => (code === Code.beginning ? '^' : code === Code.end ? '$' : letter(code)))
    .join('');
}

function letter(code: number): string {
  return String.fromCodePoint(Math.max(codeOf.lastIndexOf(code), 0));
}

function needed(expression: string): string {
  const found = requiredGrams(testAutomaton(expression));
  return found === undefined ? 'nothing' : found.grams.map((gram) => shown(gram, found.size)).join(' ');
}

describe('what a name needs to match an expression', () => {
  const cases: readonly (readonly [expression: string, needs: string])[] = [
    ['zygo', 'zyg'],
    ['^(.+[_.-])?xbert(s|ing)?[0-9]*[_.-]', 'xbe'],
    ['ab', 'ab'],
    ['a', 'nothing'],
    ['.*', 'nothing'],
    ['', 'nothing'],
    ['^ax', '^ax'],
    ['qk$', 'qk$'],
    ['^x$', '^x$'],
    ['(foo|bar)[a-z]', 'foo bar'],
    ['[ab]zk', 'azk bzk'],
    ['[a-z]{20}', 'nothing'],
    ['a$b', ''],
    ['\\.com$', 'om$'],
  ];
  for (const [expression, needs] of cases)
    it(`${expression || '(empty)'}: ${needs || 'what no name has'}`, () =>
      assert.equal(needed(expression), needs));
});

describe('a prefilter', () => {
  const expressions = ['zygo', '.', '^ax', 'ab', 'qk$', '(foo|bar)[a-z]'];
  const filter = new Prefilter(expressions.map((text) => requiredGrams(testAutomaton(text))));
  const cases: readonly (readonly [name: string, candidates: readonly string[]])[] = [
    ['www.example', ['.']],
    ['my.zygote', ['zygo', '.']],
    ['ax.test', ['.', '^ax']],
    ['max.test', ['.']],
    ['xab', ['.', 'ab']],
    ['z.qk', ['.', 'qk$']],
    ['qk.z', ['.']],
    ['barfoo', ['.', '(foo|bar)[a-z]']],
  ];
  for (const [name, expected] of cases)
    it(`${name} can match ${expected.join(' and ')}`, () => {
      filter.look(new TextEncoder().encode(name), Infinity);
      const found = expressions.filter((_, at) => (((filter.candidates[0] ?? 0) >> at) & 1) === 1);
      assert.deepEqual(found, expected);
    });

  describe('a prefilter with the most expressions, all indexed under all grams of a name,', () => {
    const most = 10_000;
    const gramsEach = 24;
    const grams = requiredGrams(testAutomaton('[a-x]q.'));
    const large = new Prefilter(Array.from({ length: most }, () => grams));
    const name = new TextEncoder().encode(
      Array.from('abcdefghijklmnopqrstuvwx', (char) => `${char}q`).join(''),
    );

    it('takes one step for every two expressions that it adds', () => {
      assert.equal(grams?.grams.length, gramsEach);
      assert.equal(large.look(name, Infinity), true);
      const noted = most * gramsEach;
      assert.ok(large.steps > noted / 2 && large.steps < noted, `${large.steps} steps`);
    });

    it('stops before it exceeds its steps, and then all are candidates', () => {
      const some = new Prefilter([...Array.from({ length: most - 1 }, () => grams), undefined]);
      assert.equal(some.look(name, 4000), true);
      assert.ok(some.steps < 4000, `${some.steps} steps`);
      const bits = Array.from(some.candidates, (word) => (word >>> 0).toString(2)).join('');
      assert.equal(bits, '1'.repeat(most));
      some.look(new TextEncoder().encode('www.example.com'), 4000);
      assert.deepEqual(some.candidates.at(-1), 1 << ((most - 1) % 32));
    });

    it('takes few steps for a name with none of the grams', () => {
      assert.equal(large.look(new TextEncoder().encode('www.example.com'), 4000), false);
      assert.ok(large.steps < 10);
    });
  });
});
