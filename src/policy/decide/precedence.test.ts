// One test for each row of the precedence table, and for the rule that is reported within a row.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { precedence } from './trace.ts';
import { decided, nameOf, ownRule, policyOf, ruleOf } from '#testing/policy/rules';

// Each row of the table as a rule about the same name, first row first.
const own = ['allow important', 'block important', 'allow', 'block'];
const asked = 'a.b.example';

/** The rules of the table from `first` on, with varying kinds, so that the kind cannot be what decides. */
function policyFrom(first: number, kinds: readonly string[]) {
  const rule = (words: string, at: number) => ruleOf(`${words} ${kinds[at % kinds.length]}`);
  const ownRules = own.flatMap((words, at) => (at < first ? [] : [ownRule(at + 1, rule(words, at))]));
  const lists = own.flatMap((words, at) =>
    at + 4 < first ? [] : [[at + 1, [rule(words, at + 1)]] as const],
  );
  return policyOf(Object.fromEntries(lists), ownRules);
}

const kindsOfRules = [
  ['exact a.b.example'],
  ['below example', 'exact a.b.example', 'regex example$', 'onlyBelow b.example'],
  ['regex ^a[.]', 'below b.example', 'exact a.b.example', 'below a.b.example'],
];

describe('the precedence table', () => {
  const expected = [
    'allow rule 1',
    'block rule 2',
    'allow rule 3',
    'block rule 4',
    'allow list 1',
    'block list 2',
    'allow list 3',
    'block list 4',
    'pass',
  ];
  precedence.forEach((row, at) => {
    it(`${row} takes precedence over all rows below it`, () => {
      for (const kinds of kindsOfRules) {
        const policy = policyFrom(at, kinds);
        assert.equal(decided(policy, asked), expected[at], kinds.join());
        const name = nameOf(asked);
        assert.equal(policy.explain(name, name.length, 1, 0).row, row);
      }
    });
  });
});

describe('within a row', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['an exact rule before one that reaches below', ['below a.b.example', 'exact a.b.example'], '2'],
    ['a long suffix before a short one', ['below example', 'below b.example', 'onlyBelow example'], '2'],
    ['a suffix before a pattern', ['regex ^a', 'below example'], '2'],
    ['the lowest number of two equal ones', ['regex ^b', 'regex example', 'regex ^a'], '2'],
    ['the lowest number of two names', ['below b.example', 'onlyBelow b.example'], '1'],
  ];
  for (const [title, rules, winner] of cases) {
    it(`reports ${title}, of lists`, () => {
      const lists = rules.map((words, at) => [at + 1, [ruleOf(words)]] as const);
      const backward = Object.fromEntries(lists.toReversed());
      assert.equal(decided(policyOf(Object.fromEntries(lists)), asked), `block list ${winner}`);
      assert.equal(decided(policyOf(backward), asked), `block list ${winner}`);
    });
    it(`reports ${title}, of the user`, () => {
      const all = rules.map((words, at) => ownRule(at + 1, ruleOf(words)));
      assert.equal(decided(policyOf({}, all), asked), `block rule ${winner}`);
      assert.equal(decided(policyOf({}, all.toReversed()), asked), `block rule ${winner}`);
    });
  }
});

describe('blocking that is off', () => {
  it('skips all rows that block and keeps those that allow', () => {
    const kinds = ['below b.example'];
    for (const [at, expected] of ['allow rule 1', 'allow rule 3', 'allow rule 3'].entries()) {
      const policy = policyOf({}, policyRules(at, kinds), { isBlocking: false });
      assert.equal(decided(policy, asked), expected);
    }
    assert.equal(decided(policyOf({}, policyRules(3, kinds), { isBlocking: false }), asked), 'pass');
    const lists = { 1: [ruleOf('block important exact a.b.example')], 2: [ruleOf('block regex a')] };
    assert.equal(decided(policyOf(lists, [], { isBlocking: false }), asked), 'pass');
    assert.equal(decided(policyOf(lists), asked), 'block list 1');
  });

  const policyRules = (first: number, kinds: readonly string[]) =>
    own.flatMap((words, at) => (at < first ? [] : [ownRule(at + 1, ruleOf(`${words} ${kinds[0]}`))]));
});
