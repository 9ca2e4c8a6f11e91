// How changes of entities in memory appear in the plans of both policies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Group, StoredDomain, StoredList } from '#store/database/entities';
import {
  changedPolicy,
  planForAllClients,
  type PolicyChange,
  type PolicyEntities,
} from './changed-policy.ts';

const dates = { date_added: 0, date_modified: 0 };
function group(id: number, more: Partial<Group> = {}): Group {
  return {
    id,
    name: `g${id}`,
    comment: null,
    enabled: true,
    schedules: [],
    privacy: 0,
    ...dates,
    ...more,
  };
}

const entry = { comment: null, enabled: true, groups: [0], group_expiry: {}, ...dates };
function domain(id: number, text: string, more: Partial<StoredDomain> = {}): StoredDomain {
  return {
    ...entry,
    id,
    domain: text,
    type: 'deny',
    kind: 'exact',
    expires_at: null,
    ...more,
  };
}

const report = { held: false, date_updated: 0, number: 0, invalid_domains: 0, abp_entries: 0, status: 1 };
function list(id: number, address: string, more: Partial<StoredList> = {}): StoredList {
  return {
    ...entry,
    ...report,
    id,
    address,
    type: 'block',
    added_with: 'earlier',
    ...more,
  };
}

/** Ids from 5 on may belong to deleted lists that are still in the snapshot. */
const firstNew = 1_000_005;
/** The tests run on a Thursday, 1 January 1970. */
const closed = { days: ['mon'], from: '00:00', until: '00:01', time_zone: 'UTC' } as const;
const entities: PolicyEntities = {
  groups: [group(0), group(1, { schedules: [closed] }), group(2, { enabled: false })],
  domains: [
    domain(1, 'a.example'),
    domain(5, 'b.example', { groups: [1] }),
    domain(6, 'over.example', { expires_at: 9 }),
  ],
  lists: [list(3, 'https://one.example'), list(4, 'https://off.example', { enabled: false, groups: [1] })],
  clients: [],
  nowSeconds: 1_000,
};
const none: PolicyChange = { addRules: [], removeRules: [], addLists: [], removeLists: [] };
const exactDeny = { type: 'deny', kind: 'exact' } as const;

function rulesAfter(change: Partial<PolicyChange>): unknown {
  return changedPolicy(entities, { ...none, ...change }).after.rules.map(({ id, domain: text, groups }) => [
    id,
    text,
    groups,
  ]);
}

function listsAfter(change: Partial<PolicyChange>): unknown {
  return changedPolicy(entities, { ...none, ...change }).after.lists.map(({ id, groups }) => [id, groups]);
}

const currentRules = [
  [1, 'a.example', [0]],
  [5, 'b.example', [1]],
];

test('without a change both plans are the same, ignore schedules and omit expired rules', () => {
  const { before, after, added } = changedPolicy(entities, none);
  assert.deepEqual(before, after);
  assert.deepEqual([before.isBlocking, before.paused, added], [true, [], []]);
  assert.deepEqual(rulesAfter({}), currentRules);
  assert.deepEqual(listsAfter({}), [[3, [0]]]);
});

test('rules are removed, added, extended to more groups and renewed', () => {
  assert.deepEqual(rulesAfter({ removeRules: [{ domain: 'a.example', ...exactDeny }] }), [currentRules[1]]);
  const fresh = { domain: 'new.example', ...exactDeny, groups: [1] };
  assert.deepEqual(rulesAfter({ addRules: [fresh] }), [...currentRules, [7, 'new.example', [1]]]);
  const wider = { domain: 'a.example', ...exactDeny, groups: [1] };
  assert.deepEqual(rulesAfter({ addRules: [wider] }), [currentRules[1], [1, 'a.example', [0, 1]]]);
  const again = { domain: 'over.example', ...exactDeny, groups: [0] };
  assert.deepEqual(rulesAfter({ addRules: [again] }), [...currentRules, [6, 'over.example', [0]]]);
  const disabled = { domain: 'new.example', ...exactDeny, groups: [2] };
  assert.deepEqual(rulesAfter({ addRules: [disabled] }), currentRules);
});

test('lists are removed, added, extended to more groups and enabled', () => {
  const one = { address: 'https://one.example', type: 'block', added_with: 'sudo' } as const;
  assert.deepEqual(listsAfter({ removeLists: [one] }), []);
  assert.deepEqual(listsAfter({ addLists: [{ ...one, groups: [1] }] }), [[3, [0, 1]]]);
  const off = { address: 'https://off.example', type: 'block', added_with: 'sudo' } as const;
  assert.deepEqual(listsAfter({ addLists: [off] }), [
    [3, [0]],
    [4, [1]],
  ]);
  const fresh = { address: 'https://new.example', type: 'allow', added_with: 'limited' } as const;
  assert.deepEqual(listsAfter({ addLists: [fresh] }), [
    [3, [0]],
    [firstNew, [0]],
  ]);
  const { added } = changedPolicy(entities, { ...none, addLists: [off, fresh] });
  assert.deepEqual(
    added.map(({ id, type, enabled, added_with }) => [id, type, enabled, added_with]),
    [
      [4, 'block', true, 'earlier'],
      [firstNew + 1, 'allow', true, 'limited'],
    ],
  );
});

test('a rule or list that is added twice gets the groups of both', () => {
  const one = { address: 'https://one.example', type: 'block', added_with: 'sudo' } as const;
  const twice = [{ ...one, groups: [1] }, one];
  assert.deepEqual(listsAfter({ addLists: twice }), [[3, [0, 1]]]);
  assert.deepEqual(listsAfter({ addLists: twice.toReversed() }), [[3, [0, 1]]]);
  const fresh = { address: 'https://new.example', type: 'block', added_with: 'sudo' } as const;
  const both = changedPolicy(entities, { ...none, addLists: [fresh, { ...fresh, groups: [1] }] });
  assert.deepEqual(
    both.added.map(({ id, groups }) => [id, groups]),
    [[firstNew, [0, 1]]],
  );
  const rule = { domain: 'new.example', ...exactDeny };
  const addRules = [
    { ...rule, groups: [1] },
    { ...rule, groups: [0] },
  ];
  assert.deepEqual(rulesAfter({ addRules }), [...currentRules, [7, 'new.example', [1, 0]]]);
});

test('planForAllClients gives every client all enabled groups', () => {
  const plan = planForAllClients(entities);
  assert.deepEqual([plan.defaultGroups, plan.clients], [[0, 1], []]);
});
