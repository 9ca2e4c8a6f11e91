// Compares a survey with the same queries counted one by one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPolicy } from './policies.ts';
import { survey } from './survey.ts';
import {
  basePlan,
  compiledLists,
  isBlockedBy,
  listsOn,
  simulateScene,
  untilMs,
} from '#testing/simulate/scene';

const allClients = {
  ...basePlan,
  clients: [],
  defaultGroups: [0, 1],
};

test('a survey counts matches, unique matches, overlaps and allowed names', async (context) => {
  const { dataDir, rows, history } = simulateScene(context);
  const scope = { fromMs: -Infinity, untilMs };
  const request = { dataDir, plan: allClients, scope, endMs: 1_000 };
  const surveyed = await survey(request, openPolicy(dataDir, allClients), { history, sharedMs: () => 0 });
  assert.ok('lists' in surveyed, JSON.stringify(surveyed));
  assert.equal(surveyed.truncated, false);
  // A survey judges names as queries of type A.
  const queries = rows.map((row) => ({ ...row, type: 1 }));
  const forAll = <T extends object>(items: readonly T[]) => items.map((one) => ({ ...one, groups: [0, 1] }));
  const plain = { ...allClients, lists: forAll(allClients.lists), rules: forAll(allClients.rules) };
  for (const { id, matches, only, overridden, overlaps } of surveyed.lists) {
    const on = queries.map((row) => ({ row, ...listsOn(compiledLists, row) }));
    const having = on.filter(({ blocking }) => blocking.includes(id));
    const allowing = on.filter((one) => one.allowing.includes(id));
    assert.equal(matches, having.length + allowing.length);
    const alone = [
      ...having.filter(({ blocking }) => blocking.length === 1),
      ...allowing.filter((one) => one.allowing.length === 1),
    ];
    assert.equal(only, alone.length);
    const free = having.filter(({ row }) => !isBlockedBy(plain, compiledLists, { ...row, clientIp: '' }));
    assert.equal(overridden, free.length);
    for (const other of overlaps)
      assert.equal(other.count, having.filter(({ blocking }) => blocking.includes(other.id)).length);
  }
  assert.ok(surveyed.lists.every(({ matches }) => matches > 0));
  assert.ok(surveyed.lists.some(({ overridden }) => overridden > 0));
  assert.ok(surveyed.lists.some(({ overlaps }) => overlaps.length > 0));
});

test('a survey ends at its deadline, and reports a failure of the history', async (context) => {
  const { dataDir, history } = simulateScene(context);
  const scope = { fromMs: -Infinity, untilMs };
  const request = { dataDir, plan: allClients, scope, endMs: 1_000 };
  let calls = 0;
  const late = await survey(request, openPolicy(dataDir, allClients), {
    history,
    sharedMs: () => (calls++ < 2 ? 0 : 2_000),
  });
  assert.ok('lists' in late);
  const away = { query: () => Promise.resolve({ ok: false, problem: 'It is away.' } as const) };
  const refused = await survey(request, openPolicy(dataDir, allClients), {
    history: away,
    sharedMs: () => 0,
  });
  assert.deepEqual(refused, { problem: 'It is away.', isHistory: true });
});
