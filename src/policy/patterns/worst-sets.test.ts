// Attacks with expressions: sets that are as expensive as the limits allow, matched against the longest
// names. The work is counted in steps, of which 100,000 take about a millisecond on a small server; `npm run
// bench -- policy` measures the time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as re2js from 're2js';

import { PatternSet } from '../decide/pattern-set.ts';
import { decided, nameOf, ownRule, policyOf, ruleOf } from '#testing/policy/rules';
import { loadPatternCheck } from '../rules/pattern-check.ts';
import { Invalid } from '../rules/reasons.ts';
import { scanText } from '#testing/policy/scan';
import { parseUserRule } from '../rules/user-rule.ts';
import { PatternBudget, stepsPerSet } from './budget.ts';
import { PatternReader } from './pattern-reader.ts';
import { longNames } from '#testing/policy/expressions';
import { worstSets } from '#testing/policy/worst-sets';

const attack = Array.from({ length: 30 }, (_, at) => `.{0,250}.{0,250}q.{0,250}.{0,250}z${at}$`);
const check = await loadPatternCheck();
function setOf(texts: readonly string[]): PatternSet {
  return new PatternSet(
    texts.map((text) => ({ text, isInverted: false })),
    new PatternReader(re2js),
  );
}
/** One more character may be processed before the steps are checked. */
const maxOver = 2_000;

let print = 0;
function stepsFor(set: PatternSet, name: string): number {
  set.match(nameOf(name), nameOf(name).length, (print += 1), 1, new PatternBudget());
  return set.steps;
}

describe('expressions that are too expensive', () => {
  it('lines of a list are refused, and the other lines stay in force', () => {
    const lines = [...attack.map((text) => `/${text}/`), '/^ads[0-9]+[.]/', 'plain.example'];
    const { rules, report } = scanText(lines.join('\n'), check);
    assert.deepEqual(rules, ['block pattern ^ads[0-9]+[.]', 'block exact plain.example']);
    assert.equal(report.invalid, attack.length);
    assert.deepEqual([report.samples[0]?.line, report.samples[0]?.reason], [1, Invalid.patternTooCostly]);
  });

  it('a wildcard of a list is refused too', () => {
    const stars = `||${'a*'.repeat(300)}b^`;
    assert.equal(
      scanText(`${stars}\n||ads*.example^`, check).report.samples[0]?.reason,
      Invalid.patternTooCostly,
    );
  });

  it('a rule of the user is refused, with the reason and the position', () => {
    const rule = { domain: attack[0] ?? '', kind: 'regex', action: 'block' } as const;
    const parsed = parseUserRule(rule, check);
    assert.ok(!parsed.isRule);
    assert.equal(parsed.kind, 'notRegex');
    assert.match(
      parsed.hint,
      new RegExp(`^Too expensive: .* can take ${stepsPerSet} steps or more.*character 2`),
    );
  });

  it('a rule of the user that is just affordable also blocks a name of odd bytes', () => {
    const text = '.{0,120}x';
    const rule = { domain: `${text}|[^a][^b][.]ads$`, kind: 'regex', action: 'block' } as const;
    const parsed = parseUserRule(rule, check);
    assert.ok(parsed.isRule);
    const budget = new PatternBudget();
    const policy = policyOf({}, [ownRule(7, parsed.rule)], { budget });
    const odd = '\\255'.repeat(63);
    assert.equal(decided(policy, [odd, odd, odd, '\\255'.repeat(57), 'ads'].join('.')), 'block rule 7');
    assert.equal(budget.cuts, 0);
  });

  it('that were stored before this limit existed are stopped by the budget', () => {
    const set = setOf(attack);
    for (const name of longNames.map((long) => `${long.slice(0, 240)}.z1`)) {
      const steps = stepsFor(set, name);
      assert.ok(steps <= stepsPerSet + maxOver, `${steps} steps for ${name}`);
    }
  });
});

describe('the worst sets of expressions that are accepted', () => {
  for (const [title, texts] of Object.entries(worstSets)) {
    it(`${title}: none takes more steps than the budget for the longest names`, () => {
      for (const text of texts.slice(0, 3)) assert.notEqual(check(text).kind, 'costly', text);
      const set = setOf(texts);
      const most = Math.max(...longNames.map((name) => stepsFor(set, name)));
      assert.ok(most <= stepsPerSet + maxOver, `${most} steps`);
    });
  }
});

describe('a name for which expressions are left unfinished', () => {
  const [long = ''] = longNames;
  const costly = Array.from({ length: 20 }, (_, at) => `.{0,30}.{0,30}[^a.]{${at + 1}}`);

  it('is decided by all cheap expressions, and by no unfinished one', () => {
    const set = setOf([...costly, 'aa[.]aa', 'b[.]b']);
    assert.deepEqual(set.match(nameOf(long), nameOf(long).length, 1, 1, new PatternBudget()), [20]);
    assert.equal(set.isCut, true);
  });

  it('an inverted expression that is unfinished does not match either', () => {
    const inverted = costly.map((text) => ({ text, isInverted: true }));
    const set = new PatternSet([...inverted, { text: 'zzz', isInverted: true }], new PatternReader(re2js));
    const matched = set.match(nameOf(long), nameOf(long).length, 1, 1, new PatternBudget());
    const unfinished = set.unfinished(nameOf(long), nameOf(long).length);
    assert.ok(matched.includes(20));
    assert.ok(unfinished.length > 0);
    assert.deepEqual(
      [...matched, ...unfinished].toSorted((a, b) => a - b),
      [...Array(21).keys()],
    );
  });

  it('has the same verdict the next time, without further steps', () => {
    const set = setOf(costly);
    const ask = (): readonly number[] => set.match(nameOf(long), nameOf(long).length, 5, 5, budget);
    const budget = new PatternBudget();
    assert.deepEqual(ask(), []);
    const { left } = budget;
    assert.deepEqual([ask(), set.isCut, budget.left], [[], true, left]);
  });

  it('has fewer steps after another name of the same query, but not the next time', () => {
    const set = setOf(['.{0,30}.{0,30}[^a.]', 'aa[.]aa']);
    const budget = new PatternBudget();
    budget.left = 10;
    assert.deepEqual(set.match(nameOf(long), nameOf(long).length, 6, 6, budget), []);
    budget.renew();
    assert.deepEqual(set.match(nameOf(long), nameOf(long).length, 6, 6, budget), [1]);
  });

  it('is counted, its rules are named, and its explanation lists the unfinished ones', () => {
    const budget = new PatternBudget();
    const rules = costly.map((text) => ruleOf(`regex ${text}`));
    const policy = policyOf({ 1: rules }, [ownRule(7, ruleOf(`regex ${costly[0]}`))], { budget });
    const name = nameOf(long);
    policy.budget.renew();
    assert.equal(policy.decide(name, name.length, 1, 0).kind, 'pass');
    assert.equal(budget.cuts, 1);
    const { steps, verdict } = policy.explain(name, name.length, 1, 0);
    assert.equal(verdict.kind, 'pass');
    assert.ok(steps.length > 0 && steps.every(({ outcome }) => outcome === 'unfinished'));
    assert.equal(budget.cuts, 1);
    assert.deepEqual(policy.costlyRules(1), [{ listId: 1, ruleId: 0, line: 7 }]);
  });
});
