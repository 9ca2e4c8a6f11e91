// Answers that were blocked because of their target are judged by that target again, unless an earlier row
// decides for the name itself. Names that were not recorded are only counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noPolicy, type PolicyPlan } from '../plan/policy-plan.ts';
import type { HistoryReader } from '#history/thread';
import { openPolicies } from './policies.ts';
import { simulate } from './simulation.ts';
import { simulateScene } from '#testing/simulate/scene';

const texts = ['shop.example', 'tracker.example', 'hidden', 'free.example'];
/** Name, client, type, target: numbers of the texts, from 1. */
const keys = Uint32Array.of(1, 1, 1, 2, 3, 1, 1, 0, 4, 1, 28, 2);
const counts = Uint32Array.of(5, 7, 2);

const history: HistoryReader = {
  query: (name) => {
    const clients = [{ ip: '192.0.2.9', name: '' }];
    const value =
      name === 'usage'
        ? { keys, counts, rows: 14, next: undefined }
        : { names: texts.slice(0, 4).join('\n'), clients };
    // The simulation asks only these two questions.
    return Promise.resolve({ ok: true, value: value as never });
  },
};

function rule(id: number, domain: string, action: 'allow' | 'block'): PolicyPlan['rules'][number] {
  return {
    id,
    domain,
    action,
    kind: 'exact',
    groups: [0],
  };
}

const block = rule(1, 'tracker.example', 'block');
function plan(...rules: PolicyPlan['rules']): PolicyPlan {
  return { ...noPolicy, rules };
}

const cases = [
  { name: 'the target is not blocked any more', before: plan(block), after: plan(), expected: [7, 0, 0, 7] },
  {
    name: 'a name is allowed',
    before: plan(block),
    after: plan(block, rule(2, 'free.example', 'allow')),
    expected: [7, 5, 0, 2],
  },
  {
    name: 'a name is allowed, and an important rule blocks the target',
    before: plan(rule(2, 'free.example', 'allow')),
    after: plan(rule(1, 'tracker.example;important', 'block'), rule(2, 'free.example', 'allow')),
    expected: [0, 7, 7, 0],
  },
  {
    name: 'a name is blocked, and an own rule allows the target',
    before: plan(rule(2, 'shop.example', 'block')),
    after: plan(rule(2, 'shop.example', 'block'), rule(3, 'tracker.example', 'allow')),
    expected: [5, 5, 0, 0],
  },
  { name: 'a target is blocked', before: plan(), after: plan(block), expected: [0, 7, 7, 0] },
  {
    name: 'the target is allowed',
    before: plan(rule(2, 'shop.example', 'block')),
    after: plan(rule(3, 'tracker.example', 'allow')),
    expected: [5, 0, 0, 5],
  },
];

test('a simulation judges targets of answers, and counts hidden names', async (context) => {
  const { dataDir } = simulateScene(context);
  const nothing = { mac: undefined, interface: undefined, isOpen: false };
  const links = () => ({ find: () => nothing, neighbours: () => [] });
  for (const { name, before, after, expected } of cases) {
    const policies = await openPolicies(dataDir, { before, after }, []);
    assert.ok(!('problem' in policies));
    const request = { dataDir, before, after, texts: [], fromMs: 0, untilMs: 1, top: 5, limitMs: 1 };
    const tools = { history, links, nowMs: () => 0, clockMs: () => 0 };
    const simulated = await simulate(request, policies, tools);
    assert.ok(!('problem' in simulated));
    const { queries, hidden, blockedBefore, blockedAfter, blocked, freed } = simulated;
    assert.deepEqual([queries, hidden], [14, 7], name);
    assert.deepEqual([blockedBefore, blockedAfter, blocked.queries, freed.queries], expected, name);
  }
});

test('the result names the rule that blocks the target', async (context) => {
  const { dataDir } = simulateScene(context);
  const plans = { before: plan(block), after: plan() };
  const policies = await openPolicies(dataDir, plans, []);
  assert.ok(!('problem' in policies));
  const nothing = { mac: undefined, interface: undefined, isOpen: false };
  const simulated = await simulate(
    { dataDir, ...plans, texts: [], fromMs: 0, untilMs: 1, top: 5, limitMs: 1 },
    policies,
    {
      history,
      links: () => ({ find: () => nothing, neighbours: () => [] }),
      nowMs: () => 0,
      clockMs: () => 0,
    },
  );
  assert.ok('freed' in simulated);
  assert.deepEqual(simulated.freed.topDomains, [
    { domain: 'shop.example', count: 5, by: 'tracker.example' },
    { domain: 'free.example', count: 2, by: 'tracker.example' },
  ]);
});
