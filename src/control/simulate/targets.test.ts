// Answers that were blocked for where they led are judged by that target again, unless an earlier row speaks
// about the name itself; and names that were not recorded are counted only.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noPolicy, type PolicyPlan } from '../plan/policy-plan.ts';
import type { HistoryReader } from '#history/thread';
import { openPolicies } from './policies.ts';
import { simulate } from './simulation.ts';
import { simulateScene } from '#testing/simulate/scene';

const texts = ['shop.example', 'tracker.example', 'hidden', 'free.example'];
/** Name, client, type, target: numbers of the texts from 1 on. */
const keys = Uint32Array.of(1, 1, 1, 2, 3, 1, 1, 0, 4, 1, 28, 2);
const counts = Uint32Array.of(5, 7, 2);

const history: HistoryReader = {
  ask: (name) => {
    const clients = [{ ip: '192.0.2.9', name: '' }];
    const value =
      name === 'usage'
        ? { keys, counts, rows: 14, next: undefined }
        : { names: texts.slice(0, 4).join('\n'), clients };
    // What belongs to the only two questions that are asked here.
    return Promise.resolve({ ok: true, value: value as never });
  },
};

const rule = (id: number, domain: string, action: 'allow' | 'block'): PolicyPlan['rules'][number] => ({
  id,
  domain,
  action,
  kind: 'exact',
  groups: [0],
});
const block = rule(1, 'tracker.example', 'block');
const plan = (...rules: PolicyPlan['rules']): PolicyPlan => ({ ...noPolicy, rules });

const cases = [
  { name: 'the target is free', before: plan(block), after: plan(), told: [7, 0, 0, 7] },
  {
    name: 'a name is allowed',
    before: plan(block),
    after: plan(block, rule(2, 'free.example', 'allow')),
    told: [7, 5, 0, 2],
  },
  {
    name: 'a name is allowed, and an important rule blocks the target',
    before: plan(rule(2, 'free.example', 'allow')),
    after: plan(rule(1, 'tracker.example;important', 'block'), rule(2, 'free.example', 'allow')),
    told: [0, 7, 7, 0],
  },
  {
    name: 'a name is blocked, and an own rule allows the target',
    before: plan(rule(2, 'shop.example', 'block')),
    after: plan(rule(2, 'shop.example', 'block'), rule(3, 'tracker.example', 'allow')),
    told: [5, 5, 0, 0],
  },
  { name: 'a target is blocked', before: plan(), after: plan(block), told: [0, 7, 7, 0] },
  {
    name: 'the target is allowed',
    before: plan(rule(2, 'shop.example', 'block')),
    after: plan(rule(3, 'tracker.example', 'allow')),
    told: [5, 0, 0, 5],
  },
];

test('targets and hidden names', async (context) => {
  const { dataDir } = simulateScene(context);
  const nothing = { mac: undefined, interface: undefined, isOpen: false };
  const links = () => ({ find: () => nothing, neighbours: () => [] });
  for (const { name, before, after, told } of cases) {
    const policies = await openPolicies(dataDir, { before, after }, []);
    assert.ok(!('problem' in policies));
    const request = { dataDir, before, after, texts: [], fromMs: 0, untilMs: 1, top: 5, limitMs: 1 };
    const tools = { history, links, nowMs: () => 0, clockMs: () => 0 };
    const simulated = await simulate(request, policies, tools);
    assert.ok(!('problem' in simulated));
    const { queries, hidden, blockedBefore, blockedAfter, blocked, freed } = simulated;
    assert.deepEqual([queries, hidden], [14, 7], name);
    assert.deepEqual([blockedBefore, blockedAfter, blocked.queries, freed.queries], told, name);
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
