// Compares simulations with a naive implementation that decides every query.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyPlan } from '../plan/policy-plan.ts';
import type { NaiveRow } from '#testing/history/naive-history';
import { startMs } from '#testing/history/store';
import type { Difference, Simulated, SimulationRequest } from './job.ts';
import { openPolicies } from './policies.ts';
import { simulate } from './simulation.ts';
import {
  addedList,
  addedListId,
  basePlan,
  compiledLists,
  isBlockedBy,
  simulateScene,
  untilMs,
  type Lists,
  type SimulateScene,
} from '#testing/simulate/scene';

const noLinks = {
  find: () => ({ mac: undefined, interface: undefined, isOpen: false }),
  neighbours: () => [],
};
const allLists: Lists = { ...compiledLists, [addedListId]: addedList };

interface Case {
  readonly name: string;
  readonly after: Partial<PolicyPlan>;
  readonly addsList?: true;
  readonly fromMs?: number;
}

function withoutList(id: number): Partial<PolicyPlan> {
  return {
    lists: basePlan.lists.filter((list) => list.id !== id),
  };
}

function rule(domain: string, action: 'allow' | 'block', groups: readonly number[], kind = 'exact') {
  return {
    rules: [
      ...basePlan.rules,
      { id: 3, domain, action, groups, kind: kind === 'regex' ? 'regex' : 'exact' } as const,
    ],
  };
}

const cases: readonly Case[] = [
  { name: 'nothing is changed', after: {} },
  { name: 'a list is removed', after: withoutList(2) },
  { name: 'the list of one group is removed', after: withoutList(3) },
  { name: 'all lists are removed', after: { lists: [] } },
  { name: 'all lists and rules are removed', after: { lists: [], rules: [] } },
  {
    name: 'lists get one more group',
    after: { lists: basePlan.lists.map((l) => ({ ...l, groups: [0, 1] })) },
  },
  { name: 'an allow rule is added', after: rule('*.example.com', 'allow', [0]) },
  { name: 'a block rule is added for one group', after: rule('*.cdn.example.net', 'block', [1]) },
  { name: 'a regular expression is added', after: rule('^h[ab]', 'block', [0, 1], 'regex') },
  { name: 'rules are removed', after: { rules: [] } },
  { name: 'only half of the time is simulated', after: withoutList(1), fromMs: startMs + 15.3 * 3_600_000 },
  {
    name: 'a list is added that is not compiled',
    after: { lists: [...basePlan.lists, { id: addedListId, name: 'added', groups: [0] }] },
    addsList: true,
  },
];

function requestOf(scene: SimulateScene, { after, addsList, fromMs }: Case): SimulationRequest {
  return {
    dataDir: scene.dataDir,
    before: basePlan,
    after: { ...basePlan, ...after },
    texts: addsList === true ? [scene.added] : [],
    fromMs: fromMs ?? -Infinity,
    untilMs,
    top: 1000,
    limitMs: 60_000,
  };
}

async function run(scene: SimulateScene, request: SimulationRequest, clockMs = () => 0): Promise<Simulated> {
  const policies = await openPolicies(scene.dataDir, request, request.texts);
  assert.ok(!('problem' in policies));
  const tools = { history: scene.history, links: () => noLinks, nowMs: () => 0, clockMs };
  const simulated = await simulate(request, policies, tools);
  assert.ok(!('problem' in simulated), JSON.stringify(simulated));
  return simulated;
}

function countsBy(rows: readonly NaiveRow[], of: (row: NaiveRow) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return counts;
}

function assertDifference(result: Difference, rows: readonly NaiveRow[], name: string): void {
  const domains = countsBy(rows, ({ domain }) => domain);
  const clients = countsBy(rows, ({ clientIp }) => clientIp);
  assert.deepEqual(
    [result.queries, result.domains, result.clients],
    [rows.length, domains.size, clients.size],
    name,
  );
  assert.deepEqual(new Map(result.topDomains.map(({ domain, count }) => [domain, count])), domains, name);
  assert.deepEqual(new Map(result.topClients.map(({ ip, count }) => [ip, count])), clients, name);
  const counts = result.topDomains.map(({ count }) => count);
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => b - a),
    name,
  );
}

test('blocked and allowed queries agree with a naive implementation', async (context) => {
  const scene = simulateScene(context);
  let differences = 0;
  for (const one of cases) {
    const request = requestOf(scene, one);
    const result = await run(scene, request);
    const rows = scene.rows.filter(({ timeMs }) => timeMs >= request.fromMs);
    const blockedBefore = new Set(rows.filter((row) => isBlockedBy(request.before, allLists, row)));
    const blockedAfter = new Set(rows.filter((row) => isBlockedBy(request.after, allLists, row)));
    assert.deepEqual([result.queries, result.hidden, result.truncated], [rows.length, 0, false], one.name);
    assert.equal(result.blockedBefore, blockedBefore.size, one.name);
    assert.equal(result.blockedAfter, blockedAfter.size, one.name);
    assertDifference(
      result.blocked,
      rows.filter((row) => blockedAfter.has(row) && !blockedBefore.has(row)),
      one.name,
    );
    assertDifference(
      result.freed,
      rows.filter((row) => blockedBefore.has(row) && !blockedAfter.has(row)),
      one.name,
    );
    differences += result.blocked.queries + result.freed.queries;
  }
  assert.ok(differences > 2_000, 'The cases change the verdict of enough queries.');
});

test('a result names the deciding rule and the clients', async (context) => {
  const scene = simulateScene(context);
  const added = await run(scene, requestOf(scene, cases.at(-1) ?? { name: '', after: {} }));
  assert.deepEqual(new Set(added.blocked.topDomains.map(({ by }) => by)), new Set(['added']));
  const freed = await run(scene, requestOf(scene, { name: '', after: { rules: [] } }));
  assert.deepEqual(new Set(freed.freed.topDomains.map(({ by }) => by)), new Set(['^h1[0-9]\\.']));
  assert.ok(freed.freed.topClients.some(({ name }) => name === 'tablet.lan'));
  const few = await run(scene, { ...requestOf(scene, { name: '', after: { lists: [] } }), top: 2 });
  assert.deepEqual([few.freed.topDomains.length, few.freed.topClients.length], [2, 2]);
});

test('an answer with an alias counts as blocked, as in the history', async (context) => {
  const scene = simulateScene(context);
  const [alias, blocked] = await Promise.all([
    run(
      scene,
      requestOf(scene, { name: '', after: rule('*.example.com;reply=CNAME,o.example', 'block', [0]) }),
    ),
    run(scene, requestOf(scene, { name: '', after: rule('*.example.com', 'block', [0]) })),
  ]);
  assert.ok(alias.blocked.queries > 0);
  assert.equal(alias.blocked.queries, blocked.blocked.queries);
  assert.equal(alias.freed.queries, 0);
});

test('at the time limit the result is truncated to the newest queries', async (context) => {
  const scene = simulateScene(context);
  let calls = 0;
  const request = { ...requestOf(scene, { name: '', after: {} }), limitMs: 1 };
  const result = await run(scene, request, () => (calls++ < 1 ? 0 : 5));
  assert.equal(result.truncated, true);
  assert.ok(result.queries < scene.rows.length);
});

test('a missing copy and a text that is not a list are refused', async (context) => {
  const scene = simulateScene(context);
  const { added, dataDir } = scene;
  const plans = { before: basePlan, after: basePlan };
  const missing = await openPolicies(dataDir, plans, [{ id: 4, type: 'block', name: 'gone' }]);
  assert.match('problem' in missing ? missing.problem : '', /^gone: there is no copy/);
  const { writeFileSync } = await import('node:fs');
  const { zstdCompressSync } = await import('node:zlib');
  const page = Buffer.from('<!doctype html><html><body>Log in</body></html>\n');
  const path = added.draft?.path ?? '';
  writeFileSync(path, zstdCompressSync(page));
  const text = { ...added, draft: { path, unpackedBytes: page.length } };
  const refused = await openPolicies(dataDir, plans, [text]);
  assert.match('problem' in refused ? refused.problem : '', /^added: .*page for browsers/);
});
