// Attacks with expressions that are short to write and long to build: a dns worker builds an expression
// without a pause, and one that is silent for a second is replaced. The work is counted, not timed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RE2JS } from 're2js';

import * as fc from '../../../test/running/properties.ts';
import { MAX_PATTERN_SIZE } from '../rules/limits.ts';
import { loadPatternCheck, type PatternFinding } from '../rules/pattern-check.ts';
import { hasPossibleName } from '../rules/possible-name.ts';
import { Invalid } from '../rules/reasons.ts';
import { parseUserRule } from '../rules/user-rule.ts';
import {
  counted,
  countedProgram,
  longAtEveryState,
  longestAccepted,
  longToBuild,
  programOf,
  rangesIn,
} from '#testing/policy/build-work';
import { scanText } from '#testing/policy/scan';
import { automatonOf } from './automaton.ts';
import { patternSize } from './pattern-size.ts';
import { requiredGrams } from './required-grams.ts';

/** Reads for the tables of `[a-z]{2000}`; a Unicode class that was read for each repetition took 600,000. */
const maxTableWork = 17_000;
const check = await loadPatternCheck({ seeksNothing: true });

function refuseToBuild(text: string): PatternFinding {
  assert.fail(`${text} is built`);
}

/** Reads of ranges and characters that are tried, for the tables of an expression. */
function tableWork(text: string): number {
  const counter = { count: 0 };
  automatonOf(countedProgram(programOf(text), counter));
  return counter.count;
}

/** Reads of instructions for `hasPossibleName`, and of states for the required grams. */
function searchWork(text: string): number {
  const counter = { count: 0 };
  const program = programOf(text);
  hasPossibleName({ ...program, inst: counted(program.inst, counter) });
  const automaton = automatonOf({ ...program, inst: counted(program.inst, counter) });
  if (automaton === undefined) return counter.count;
  const edges = counted(
    automaton.edges.map((row) => counted(row, counter)),
    counter,
  );
  requiredGrams({ ...automaton, edges });
  return counter.count;
}

describe('an expression that is long to build', () => {
  for (const [title, text] of Object.entries(longToBuild)) {
    it(`${title}: is refused as an own rule, and is not built`, () => {
      const parsed = parseUserRule({ domain: text, kind: 'regex', action: 'block' }, refuseToBuild);
      assert.ok(!parsed.isRule);
      assert.match(parsed.hint, /^Too large: .*Unicode classes/);
    });
  }

  it('is skipped in a list, line by line, and is not built; the other lines stay in force', () => {
    const [first = ''] = Object.values(longToBuild);
    const lines = [...Array.from({ length: 14 }, (_, at) => `/${first}${at}/`), 'plain.example'];
    const { rules, report } = scanText(lines.join('\n'), refuseToBuild);
    assert.deepEqual(rules, ['block exact plain.example']);
    assert.equal(report.invalid, 14);
    assert.deepEqual(new Set(report.samples.map(({ reason }) => reason)), new Set([Invalid.patternTooLarge]));
  });
});

describe('the longest expressions to build that are accepted', () => {
  for (const [title, text] of Object.entries(longestAccepted)) {
    it(`${title}: its tables take no more work than those of a plain class`, () => {
      assert.ok(!['wrong', 'costly'].includes(check(text).kind));
      const size = patternSize(text);
      assert.ok(size > MAX_PATTERN_SIZE * 0.9 && size <= MAX_PATTERN_SIZE, `size ${size}`);
      const work = tableWork(text);
      assert.ok(work < maxTableWork, `${work} reads`);
    });
  }

  it('repetitions of a class share its table, though it has thousands of ranges', () => {
    const once = tableWork('[^\\pL\\pN]');
    assert.equal(tableWork('[^\\pL\\pN]{200}'), once);
    assert.equal(tableWork('[^\\pL\\pN]{20}(?:[^\\pL\\pN]{9}){9}'), 2 * once);
  });

  for (const [title, [text, maxReads]] of Object.entries(longAtEveryState)) {
    it(`${title}: the searches in it are bounded`, () => {
      assert.ok(patternSize(text) <= MAX_PATTERN_SIZE, `size ${patternSize(text)}`);
      const work = searchWork(text);
      assert.ok(work < maxReads, `${work} reads`);
    });
  }

  it('the ranges of any accepted one are bounded, however its parts are nested', () => {
    const atoms = ['a', '\\w', '[a-z]', '\\pL', '\\PC', '[^\\pL\\pN]', '[\\x{100}-\\x{24f}]', 'k', '[^\\W_]'];
    const tails = ['', '', '*', '+', '?', '{3}', '{1,20}', '{30}', '{500}', '{999}'];
    const piece = fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...tails)).map((pair) => pair.join(''));
    const group = fc
      .tuple(
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '|'),
        fc.constantFrom(...tails),
      )
      .map(([pieces, between, tail]) => `(?:${pieces.join(between)})${tail}`);
    const texts = fc.array(fc.oneof(piece, group), { minLength: 1, maxLength: 5 });
    let tried = 0;
    fc.assert(
      fc.property(fc.constantFrom('', '^', '(?i)'), texts, (before, parts) => {
        const text = before + parts.join('');
        if (patternSize(text) > MAX_PATTERN_SIZE || !isCompiled(text)) return;
        tried += 1;
        const ranges = rangesIn(programOf(text));
        assert.ok(ranges <= 200 * patternSize(text) + 1000, `${text}: ${ranges} ranges`);
      }),
      { numRuns: 400 },
    );
    assert.ok(tried > 150, `${tried} expressions`);
  });
});

function isCompiled(text: string): boolean {
  try {
    return RE2JS.compile(text, RE2JS.CASE_INSENSITIVE).programSize() > 0;
  } catch {
    return false;
  }
}
