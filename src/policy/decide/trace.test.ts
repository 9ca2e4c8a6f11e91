import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressRule, decided, nameOf, ownRule, policyOf, ruleOf } from '#testing/policy/rules';
import type { Trace } from './trace.ts';

function explain(policy: ReturnType<typeof policyOf>, text: string, type = 1): Trace {
  const name = new Uint8Array(256);
  name.set(nameOf(text));
  return policy.explain(name, nameOf(text).length, type, 0);
}

function stepsOf({ steps }: Trace): string[] {
  return steps.map(({ row, outcome, kind, about, listId, ruleId }) =>
    [row, outcome, kind, about, listId || ruleId].join(' '),
  );
}

describe('an explanation', () => {
  const lists = {
    1: [ruleOf('example'), ruleOf('exact a.b.example', { types: { only: [28], except: [] } })],
    2: [ruleOf('important b.example'), ruleOf('regex ^a[.]', { form: { kind: 'nx' } })],
    3: [ruleOf('b.example', { isBadfilter: true }), ruleOf('allow onlyBelow b.example'), ruleOf('b.example')],
    4: [ruleOf('important allow a.b.example')],
  };
  const listsInForce = [1, 2, 3].map((id) => ({ id, groups: [0], name: '' }));
  const own = [ownRule(5, ruleOf('regex b[.]')), ownRule(6, ruleOf('allow exact c.example'))];

  it('lists every matching rule with its outcome', () => {
    const trace = explain(policyOf(lists, own, { listsInForce }), 'a.b.example');
    assert.deepEqual(stepsOf(trace).toSorted(), [
      'listAllow holds name b.example 3',
      'listBlock holds name example 1',
      'listBlock holds pattern ^a[.] 2',
      'listBlock otherType name a.b.example 1',
      'listBlock switchedOff name b.example 3',
      'listImportantAllow otherGroups name a.b.example 4',
      'listImportantBlock holds name b.example 2',
      'ownBlock holds pattern b[.] 5',
    ]);
    assert.equal(trace.row, 'ownBlock');
    assert.equal(trace.winner?.ruleId, 5);
    assert.equal(trace.because, 'row');
    assert.deepEqual(trace.groups, [0]);
    assert.equal(trace.steps.find(({ about }) => about === '^a[.]')?.line, 7);
  });

  it('says that blocking is off', () => {
    const trace = explain(policyOf(lists, own, { listsInForce, isBlocking: false }), 'a.b.example');
    assert.equal(trace.isBlocking, false);
    assert.equal(trace.row, 'listAllow');
    assert.ok(stepsOf(trace).includes('ownBlock blockingOff pattern b[.] 5'));
  });

  it('lists no rule where none matches', () => {
    const trace = explain(policyOf(lists, own, { listsInForce }), 'c.d.test');
    assert.deepEqual(
      { steps: trace.steps, row: trace.row, winner: trace.winner, because: trace.because },
      {
        steps: [],
        row: 'pass',
        winner: undefined,
        because: undefined,
      },
    );
  });

  const reasons: readonly (readonly [readonly string[], string])[] = [
    [['below b.example'], 'onlyOne'],
    [['below b.example', 'allow below b.example'], 'row'],
    [['below a.b.example', 'exact a.b.example'], 'exact'],
    [['below example', 'below b.example'], 'longestSuffix'],
    [['below b.example', 'onlyBelow b.example'], 'lowestId'],
  ];
  for (const [rules, because] of reasons) {
    it(`gives the reason ${because}`, () => {
      const policy = policyOf(Object.fromEntries(rules.map((words, at) => [at + 1, [ruleOf(words)]])));
      assert.equal(explain(policy, 'a.b.example').because, because);
    });
  }

  it('does not affect later decisions', () => {
    const policy = policyOf(lists, own, { listsInForce });
    explain(policy, 'a.b.example');
    assert.equal(decided(policy, 'c.example'), 'allow rule 6');
    assert.equal(decided(policy, 'a.b.example'), 'block rule 5');
  });

  it('names the range that contains an address', () => {
    const rules = [
      addressRule([192, 0, 2, 0], 24),
      addressRule([192, 0, 2, 7], 32),
      addressRule([10, 0, 0, 0], 8),
    ];
    const ranges = (...bytes: readonly number[]): string[] =>
      policyOf({ 1: rules })
        .explainAddress(Uint8Array.of(0, ...bytes), 1, 4, 0)
        .steps.map(({ kind, about }) => `${kind} ${about}`)
        .toSorted();
    assert.deepEqual(ranges(192, 0, 2, 7), ['address 192.0.2.0/24', 'address 192.0.2.7']);
    assert.deepEqual(ranges(10, 9, 8, 7), ['address 10.0.0.0/8']);
    assert.deepEqual(ranges(11, 9, 8, 7), []);
  });

  it('names the key of a rule in the snapshot', () => {
    const policy = policyOf(lists, own, { listsInForce });
    const [one] = explain(policy, 'x.example').steps;
    const other = explain(policy, 'a.b.example').steps.find(({ about }) => about === 'example');
    assert.deepEqual(one?.fingerprint, other?.fingerprint);
    assert.notDeepEqual(one?.fingerprint, [0, 0]);
  });
});
