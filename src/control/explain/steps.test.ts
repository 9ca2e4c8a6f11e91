// Explanations in the reply of the API: the step that decided, its text, and the groups, schedules and
// pauses.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explained, MetRule } from '#engine';
import { Collection } from '#store/database';
import type { Group, StoredClient, StoredDomain, StoredList, StoredPause } from '#store/database/entities';
import { explanationBody } from './steps.ts';
import type { StepOf, ExplanationInput } from './explanation-input.ts';

const dates = { date_added: 100, date_modified: 100 };
function group(id: number, name: string, more: Partial<Group> = {}): Group {
  return {
    id,
    name,
    comment: null,
    enabled: true,
    schedules: [],
    privacy: 0,
    ...dates,
    ...more,
  };
}

/** Active on Mondays from 10 to 11, UTC; the tests run on a Thursday. */
const mondays = { days: ['mon'], from: '10:00', until: '11:00', time_zone: 'UTC' } as const;
const groups = [
  group(0, 'Default'),
  group(1, 'kids', { schedules: [mondays] }),
  group(2, 'guests', { enabled: false }),
];
const list: StoredList = {
  id: 7,
  added_with: 'sudo',
  address: 'https://lists.example/hosts',
  type: 'block',
  comment: null,
  enabled: true,
  groups: [0],
  group_expiry: {},
  date_updated: 50,
  number: 1,
  invalid_domains: 0,
  abp_entries: 0,
  status: 1,
  held: false,
  ...dates,
};
const own: StoredDomain = {
  id: 3,
  domain: 'good.example',
  type: 'allow',
  kind: 'exact',
  comment: 'mine',
  enabled: true,
  groups: [0],
  expires_at: null,
  group_expiry: {},
  ...dates,
};
const tablet: StoredClient = {
  id: 4,
  client: '10.0.0.0/8',
  comment: 'tablets',
  groups: [0, 1, 2],
  group_expiry: {},
  ...dates,
};

const rule: MetRule = {
  row: 'listBlock',
  outcome: 'holds',
  isWinner: true,
  action: 'block',
  isImportant: false,
  kind: 'name',
  reach: 'below',
  about: 'example',
  listId: 7,
  ruleId: 0,
  line: 0,
};
const ownMet: MetRule = {
  ...rule,
  row: 'ownAllow',
  action: 'allow',
  about: 'good.example',
  listId: 0,
  ruleId: 3,
};
const found = {
  listId: 7,
  version: 1,
  fetchedMs: 90_000,
  line: 12,
  text: '||example^',
  about: 'example',
  action: 'block',
  reach: 'below',
  isImportant: false,
} as const;

const passed: Explained = {
  decidedBy: 'nothing',
  client: { isAnswered: true, configured: '', foundBy: 'nothing', groups: [0], isBlocking: true },
  local: undefined,
  rules: { verdict: 'pass', row: 'pass', because: undefined, rules: [] },
  isSpecial: false,
  cache: { state: 'none', ttlSeconds: 0, ageSeconds: 0, isFailure: false, upstream: '' },
  upstream: { isRouted: false, mode: 'strict', upstreams: [], outcome: undefined, answeredBy: '' },
  targets: [],
  answer: undefined,
};
function blockedBy(...rules: readonly MetRule[]): Explained {
  return {
    ...passed,
    decidedBy: 'rules',
    rules: { verdict: 'block', row: 'listBlock', because: 'onlyOne', rules },
    cache: undefined,
    upstream: undefined,
    answer: {
      isSent: true,
      rcode: 0,
      records: ['a.example 2 IN A 0.0.0.0'],
      recordCount: 1,
      isBlockedThere: false,
      hidesPrivate: false,
    },
  };
}

type Target = Explained['targets'][number];
const blockedTarget: Target = {
  kind: 'name',
  via: 'CNAME',
  about: 'b.example',
  decides: false,
  verdict: 'block',
  row: 'listBlock',
  because: 'onlyOne',
  rules: [rule],
};
const allowedTarget: Target = {
  ...blockedTarget,
  about: 'good.example',
  decides: true,
  verdict: 'allow',
  row: 'ownAllow',
  rules: [ownMet],
};

function clientsOf(client: StoredClient) {
  return new Collection('clients', (one) => one.client, [client]);
}

function input(explained: Explained, more: Partial<ExplanationInput> = {}): ExplanationInput {
  return {
    read: {
      groups: new Collection('groups', ({ name }) => name, groups),
      domains: new Collection('domains', ({ domain }) => domain, [own]),
      lists: new Collection('lists', ({ address }) => address, [list]),
      clients: clientsOf(tablet),
    },
    pauses: [],
    blocking: { blocking: true, timer: null },
    nowSeconds: 1000,
    asked: { domain: 'a.example', type: 'A', client: '10.0.0.5' },
    explained,
    worker: 'dns1',
    lines: [found],
    ...more,
  };
}

function stepOf<N extends StepOf<'client'>['step'] | 'groups' | 'blocking' | 'rules' | 'answer'>(
  one: ExplanationInput,
  name: N,
): StepOf<N> {
  const step = explanationBody(one).steps.find((each): each is StepOf<N> => each.step === name);
  assert.ok(step !== undefined);
  return step;
}

describe('the reason in one sentence', () => {
  const { upstream } = passed;
  assert.ok(upstream !== undefined);
  const rows: readonly (readonly [string, ExplanationInput, string])[] = [
    [
      'block',
      input(blockedBy(rule)),
      'a.example is blocked by the list "https://lists.example/hosts", line 12 (row 8: lists, blocking).',
    ],
    [
      'block',
      input(blockedBy(rule), { lines: [] }),
      'a.example is blocked by the list "https://lists.example/hosts" (row 8: lists, blocking).',
    ],
    [
      'allow',
      input({
        ...passed,
        decidedBy: 'rules',
        rules: {
          verdict: 'allow',
          row: 'ownAllow',
          because: 'row',
          rules: [ownMet, { ...rule, isWinner: false }],
        },
      }),
      'a.example is allowed by your allow rule "good.example" (row 3: own rules that allow). ' +
        'Also: the list "https://lists.example/hosts", line 12 matches too.',
    ],
    [
      'local',
      input({
        ...passed,
        decidedBy: 'rules',
        rules: { verdict: 'local', row: 'listBlock', because: 'onlyOne', rules: [rule] },
      }),
      'a.example is answered by the list "https://lists.example/hosts", line 12 (row 8: lists, blocking).',
    ],
    [
      'allow',
      input({ ...passed, decidedBy: 'targets', targets: [blockedTarget, allowedTarget] }),
      'It leads to good.example (CNAME). ' +
        'good.example is allowed by your allow rule "good.example" (row 3: own rules that allow).',
    ],
    ['pass', input(passed), 'No rule blocks a.example.'],
    [
      'pass',
      input({ ...passed, upstream: { ...upstream, outcome: 'timeout' } }),
      'No rule blocks a.example. No upstream answered in time.',
    ],
    [
      'pass',
      input(passed, { worker: '' }),
      'No rule blocks a.example. DNS is not answered now, so no upstream was queried.',
    ],
    [
      'refuse',
      input({ ...passed, decidedBy: 'client', client: { ...passed.client, isAnswered: false } }),
      '10.0.0.5 is outside this network and is refused; dns.listeningMode = "ALL" changes that.',
    ],
  ];
  for (const [verdict, one, reason] of rows)
    it(reason, () => {
      const body = explanationBody(one);
      assert.deepEqual([body.verdict, body.reason], [verdict, reason]);
    });
});

describe('the answer of an explanation', () => {
  const { answer } = blockedBy(rule);
  assert.ok(answer !== undefined);
  const rows = [
    [answer, 'NOERROR', 'The client gets: 0.0.0.0.'],
    [{ ...answer, records: [], recordCount: 0 }, 'NOERROR', 'The client gets: no record of this type.'],
    [{ ...answer, isSent: false }, 'NONE', 'The client gets no answer at all.'],
  ] as const;
  for (const [one, rcode, text] of rows)
    it(text, () => {
      const step = stepOf(input({ ...blockedBy(rule), answer: one }), 'answer');
      assert.deepEqual([step.rcode, step.text], [rcode, text]);
    });
});

describe('the rules of an explanation', () => {
  it('of lists have the list, the line and the date of the copy', () => {
    const [first] = stepOf(input(blockedBy(rule)), 'rules').rules;
    assert.equal(first?.since, 90);
    assert.deepEqual([first?.list?.line, first?.list?.text, first?.own], [12, '||example^', null]);
  });

  it('for addresses have their line', () => {
    const about = '203.0.113.66';
    const line = { ...found, about, text: '||203.0.113.66^', reach: 'exact' } as const;
    const explained = blockedBy({ ...rule, kind: 'address', about });
    const [first] = stepOf(input(explained, { lines: [line] }), 'rules').rules;
    assert.deepEqual([first?.list?.line, first?.list?.text], [12, '||203.0.113.66^']);
  });

  it('of the user have their text and date', () => {
    const [first] = stepOf(input(blockedBy(ownMet)), 'rules').rules;
    assert.equal(first?.since, 100);
    assert.deepEqual([first?.own?.domain, first?.own?.comment, first?.list], ['good.example', 'mine', null]);
  });

  it('that were deleted meanwhile are still shown', () => {
    const rules = stepOf(input(blockedBy({ ...rule, listId: 99 }, { ...ownMet, ruleId: 99 })), 'rules').rules;
    assert.deepEqual([rules[0]?.list?.address, rules[0]?.since, rules[1]?.own], [null, null, null]);
  });
});

describe('the client of an explanation', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['laptop.lan', / Only this name was considered: .* MAC address .* Use the address/u],
    ['aa:bb:cc:dd:ee:ff', / Only this MAC address was considered: /u],
    [':eth0', / Only this interface was considered: /u],
    ['10.0.0.5', /the default group applies\.$/u],
  ];
  for (const [client, expected] of rows)
    it(`named by ${client} has a fitting text`, () => {
      const { asked } = input(passed);
      assert.match(stepOf(input(passed, { asked: { ...asked, client } }), 'client').text, expected);
    });
});

describe('groups and pauses of an explanation', () => {
  const asTablet: Explained = {
    ...passed,
    client: { ...passed.client, configured: '10.0.0.0/8', foundBy: 'range', groups: [0] },
  };
  const pause = (of: Partial<StoredPause>): StoredPause => ({
    id: 1,
    group_id: null,
    client: null,
    until: 2000,
    ...of,
  });

  it('say which groups are in force, and which are not', () => {
    const { groups: all, text } = stepOf(input(asTablet), 'groups');
    assert.deepEqual(
      all.map(({ name, in_force, schedule_state }) => [name, in_force, schedule_state?.active]),
      [
        ['Default', true, undefined],
        ['kids', false, false],
        ['guests', false, undefined],
      ],
    );
    assert.equal(
      text,
      'Groups in force: Default. Not in force: kids (outside its schedules), guests (disabled).',
    );
    assert.match(
      stepOf(input(asTablet), 'client').text,
      /is the client 10\.0\.0\.0\/8 \(tablets\), found by the range/u,
    );
  });

  const met = (outcome: MetRule['outcome']): MetRule => ({ ...rule, isWinner: false, outcome });
  const meeting = (explained: Explained, outcome: MetRule['outcome']): Explained => ({
    ...explained,
    rules: { verdict: 'pass', row: 'pass', because: undefined, rules: [met(outcome)] },
  });
  const off: Explained = { ...passed, client: { ...passed.client, isBlocking: false } };
  const switchedOff = { blocking: { blocking: false, timer: null } };
  const ended: StoredClient = { ...tablet, groups: [0], group_expiry: { 0: 999 } };
  const withEnded = { ...input(passed).read, clients: clientsOf(ended) };
  const withoutGroups = { ...input(passed).read, clients: clientsOf({ ...tablet, groups: [] }) };
  const noGroup = { ...asTablet, client: { ...asTablet.client, groups: [] } };
  const freed: readonly (readonly [string, ExplanationInput, string | undefined, string])[] = [
    [
      'blocking is off',
      input(meeting(off, 'blockingOff'), switchedOff),
      'blocking',
      'Blocking is off for all clients. Therefore a.example is not blocked.',
    ],
    ['blocking is off, and no rule matches', input(off, switchedOff), undefined, 'No rule blocks a.example.'],
    [
      'a target would be blocked',
      input(
        { ...off, targets: [{ ...blockedTarget, verdict: 'pass', rules: [met('blockingOff')] }] },
        { pauses: [pause({ client: '10.0.0.5' })] },
      ),
      'blocking',
      'Blocking is paused for the client 10.0.0.5. Therefore a.example is not blocked.',
    ],
    [
      'a group is outside its schedules',
      input(meeting(asTablet, 'otherGroups')),
      'groups',
      'Groups in force: Default. Not in force: kids (outside its schedules), guests (disabled). ' +
        'Therefore a.example is not blocked.',
    ],
    [
      'a membership has ended',
      input(meeting(noGroup, 'otherGroups'), { read: withEnded }),
      'groups',
      'None of its groups is in force, so no rule applies. ' +
        'Not in force: Default (its membership has ended). Therefore a.example is not blocked.',
    ],
    [
      'the client is in no group',
      input(meeting(noGroup, 'otherGroups'), { read: withoutGroups }),
      'groups',
      'It is in no group, so no rule and no list applies to it. For example: ' +
        'sluice clients set 10.0.0.0/8 --group "Default". Therefore a.example is not blocked.',
    ],
    [
      'the rule is for other groups',
      input(meeting(passed, 'otherGroups')),
      undefined,
      'No rule blocks a.example.',
    ],
  ];
  for (const [title, one, step, reason] of freed)
    it(`a name passes because ${title}`, () => {
      const body = explanationBody(one);
      assert.deepEqual([body.verdict, body.reason], ['pass', reason]);
      assert.equal(body.steps.find(({ decides }) => decides)?.step, step);
    });

  for (const [inForce, hasList] of [
    [[0], true],
    [[3], false],
    [[0, 3], true],
  ] as const)
    it(`a client in the groups ${inForce.join()} is ${hasList ? '' : 'not '}blocked by a list`, () => {
      const client = { ...asTablet.client, groups: inForce };
      const read = { ...input(passed).read, clients: clientsOf({ ...tablet, groups: inForce }) };
      const { text } = stepOf(input({ ...asTablet, client }, { read }), 'groups');
      assert.equal(/ No list is for these groups/u.test(text), !hasList, text);
    });

  const traits = { mac: 'aa:bb:cc:dd:ee:ff', hostName: 'Tablet.lan.', interface: 'eth0' };
  const rows: readonly (readonly [string, Partial<StoredPause>, boolean])[] = [
    ['a group of its own', { group_id: 1 }, true],
    ['another group', { group_id: 9 }, false],
    ['its address', { client: '10.0.0.5' }, true],
    ['another address', { client: '10.0.0.6' }, false],
    ['its range', { client: '10.0.0.0/29' }, true],
    ['another range', { client: '10.0.0.8/29' }, false],
    ['its MAC address', { client: 'aa:bb:cc:dd:ee:ff' }, true],
    ['its host name', { client: 'tablet' }, true],
    ['another host name', { client: 'phone' }, false],
    ['its interface', { client: ':eth0' }, true],
  ];
  for (const [title, of, isPaused] of rows)
    it(`a pause for ${title} ${isPaused ? 'applies' : 'does not apply'}`, () => {
      const explained = { ...asTablet, client: { ...asTablet.client, ...traits, isBlocking: !isPaused } };
      const step = stepOf(input(explained, { pauses: [pause(of)] }), 'blocking');
      assert.deepEqual([step.blocking, step.pauses.length], [!isPaused, isPaused ? 1 : 0]);
    });

  it('a blocking step shows the switch and its timer', () => {
    const step = stepOf(input(passed, { blocking: { blocking: false, timer: 60 } }), 'blocking');
    assert.deepEqual([step.blocking, step.switched_on, step.timer], [false, false, 60]);
  });
});
