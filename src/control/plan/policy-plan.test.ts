import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pass } from '#policy';
import { nameFromText } from '#wire';
import type { StoredDomain } from '#store/database/entities';
import { buildPolicyPlan, ruleTexts, nextEndSeconds } from './policy-plan.ts';
import { WorkerPolicy } from './worker-policy.ts';

const nowSeconds = 1_000_000;
const typeA = 1;

function domain(id: number, text: string, more: Partial<StoredDomain> = {}): StoredDomain {
  return {
    id,
    domain: text,
    type: 'deny',
    kind: 'exact',
    comment: null,
    enabled: true,
    groups: [0],
    expires_at: null,
    group_expiry: {},
    date_added: 0,
    date_modified: 0,
    ...more,
  };
}

function group(id: number, enabled: boolean) {
  return {
    id,
    name: String(id),
    comment: null,
    enabled,
    date_added: 0,
    date_modified: 0,
    schedules: [],
    privacy: 0,
  };
}

it('a list without a comment is named by its address without secrets', () => {
  const list = { id: 1, type: 'block', comment: null, enabled: true, added_with: 'sudo' } as const;
  const dates = { date_added: 0, date_modified: 0, date_updated: 0 };
  const report = { number: 0, invalid_domains: 0, abp_entries: 0, status: 1, held: false };
  const address = 'https://me:secret@lists.example/a?key=secret';
  const { lists } = buildPolicyPlan({
    domains: [],
    lists: [{ ...list, ...dates, ...report, address, groups: [0], group_expiry: {} }],
    clients: [],
    groups: [group(0, true)],
    pauses: [],
    isBlocking: true,
    nowSeconds,
  });
  assert.deepEqual(
    lists.map(({ name }) => name),
    ['https://lists.example/a'],
  );
});

function plan(domains: readonly StoredDomain[], isBlocking = true) {
  return buildPolicyPlan({
    domains,
    lists: [],
    pauses: [],
    clients: [],
    groups: [group(0, true), group(1, false)],
    isBlocking,
    nowSeconds,
  });
}

describe('whether an own rule is in force', () => {
  const cases: readonly [string, Partial<StoredDomain>, boolean][] = [
    ['enabled', {}, true],
    ['disabled', { enabled: false }, false],
    ['expired', { expires_at: nowSeconds }, false],
    ['expires later', { expires_at: nowSeconds + 1 }, true],
    ['in a disabled group', { groups: [1] }, false],
    ['in no group', { groups: [] }, false],
    ['its membership has expired', { group_expiry: { '0': nowSeconds - 1 } }, false],
    ['its membership expires later', { group_expiry: { '0': nowSeconds + 9 } }, true],
  ];
  for (const [what, more, isInForce] of cases) {
    it(`${what}: ${isInForce ? 'yes' : 'no'}`, () => {
      assert.equal(plan([domain(1, 'ads.example', more)]).rules.length, isInForce ? 1 : 0);
    });
  }

  it('nextEndSeconds returns when the next rule or membership expires', () => {
    const domains = [
      domain(1, 'a.example', { expires_at: nowSeconds - 5 }),
      domain(2, 'b.example', { expires_at: nowSeconds + 60, group_expiry: { '0': nowSeconds + 30 } }),
    ];
    assert.equal(nextEndSeconds(domains, nowSeconds), nowSeconds + 30);
    assert.equal(nextEndSeconds([], nowSeconds), Number.POSITIVE_INFINITY);
  });
});

describe('configured clients', () => {
  const planOf = (client: string, comment: string | null = null) =>
    buildPolicyPlan({
      domains: [],
      lists: [],
      pauses: [],
      clients: [
        { client, comment, groups: [0, 1], group_expiry: {}, id: 1, date_added: 0, date_modified: 0 },
      ],
      groups: [group(0, true), group(1, false)],
      isBlocking: true,
      nowSeconds,
    }).clients;
  const cases: readonly (readonly [string, object])[] = [
    ['10.1.2.3', { words: [0, 0, 0, 0, 0, 0xffff, 0x0a01, 0x0203], prefixBits: 128 }],
    ['fe80::/10', { words: [0xfe80, 0, 0, 0, 0, 0, 0, 0], prefixBits: 10 }],
    ['02:aa:bb:cc:dd:ee', { mac: '02:aa:bb:cc:dd:ee' }],
    ['tablet.lan', { hostName: 'tablet.lan' }],
    [':eth0', { interface: 'eth0' }],
  ];
  for (const [client, known] of cases) {
    it(`${client} is identified by ${Object.keys(known)[0]}`, () => {
      assert.deepEqual(planOf(client), [{ id: 1, ...known, labels: [client], groups: [0] }]);
    });
  }

  it('have the names of their enabled groups, except the default one, as tags', () => {
    const client = { client: '10.1.2.3', comment: null, groups: [0, 1, 2], group_expiry: {} };
    const { clients } = buildPolicyPlan({
      domains: [],
      lists: [],
      pauses: [],
      clients: [{ ...client, id: 1, date_added: 0, date_modified: 0 }],
      groups: [group(0, true), group(1, false), { ...group(2, true), name: 'Kids  TV' }],
      isBlocking: true,
      nowSeconds,
    });
    assert.deepEqual(clients[0]?.tags, ['kids_tv']);
  });

  it('have text and comment as labels', () => {
    assert.deepEqual(planOf('tablet', 'The tablet')[0]?.labels, ['tablet', 'The tablet']);
  });
});

describe('the policy of a worker', () => {
  const decide = async (domains: readonly StoredDomain[], name: string, isBlocking = true) => {
    const problems: string[] = [];
    const worker = new WorkerPolicy((text) => problems.push(text));
    const made = plan(domains, isBlocking);
    const policy = await worker.compile(made, ruleTexts(made.rules), undefined);
    const groups = policy.groupsOf({ address: new Uint8Array(16), name: undefined });
    const wire = nameFromText(name) ?? new Uint8Array(1);
    return { ...policy.decide(wire, wire.length, typeA, groups), problems };
  };
  const rules = [
    domain(3, 'ads.example'),
    domain(4, '^track[0-9]+\\.', { kind: 'regex' }),
    domain(5, 'track7.good.example', { type: 'allow' }),
  ];

  it('blocks exact names and patterns, reports the rule, and lets allowed names pass', async () => {
    assert.deepEqual(pick(await decide(rules, 'ads.example')), ['block', 3]);
    assert.deepEqual(pick(await decide(rules, 'sub.ads.example')), ['pass', 0]);
    assert.deepEqual(pick(await decide(rules, 'track12.bad.example')), ['block', 4]);
    assert.deepEqual(pick(await decide(rules, 'track7.good.example')), ['allow', 5]);
  });

  it('applies wildcards and extensions; important rules win', async () => {
    const more = [
      domain(6, '*.ads.example;important'),
      domain(7, 'ads.example', { type: 'allow' }),
      domain(8, '*.nx.example;reply=NXDOMAIN'),
    ];
    assert.deepEqual(pick(await decide(more, 'ads.example')), ['block', 6]);
    assert.deepEqual(pick(await decide(more, 'a.ads.example')), ['block', 6]);
    assert.deepEqual((await decide(more, 'a.nx.example')).form, { kind: 'nx' });
  });

  it('blocks nothing while blocking is off', async () => {
    assert.deepEqual(pick(await decide(rules, 'ads.example', false)), ['pass', 0]);
  });

  it('reports an invalid rule and applies the others', async () => {
    const verdict = await decide([domain(9, 'no name'), ...rules], 'ads.example');
    assert.equal(verdict.kind, 'block');
    assert.match(verdict.problems[0] ?? '', /The rule no name is not in force/u);
  });

  it('blocks nothing without rules', async () => {
    assert.deepEqual(pick(await decide([], 'ads.example')), [pass.kind, 0]);
  });
});

function pick({ kind, ruleId }: { readonly kind: string; readonly ruleId: number }) {
  return [kind, ruleId];
}

describe('privacy by group', () => {
  const client = (groups: readonly number[], group_expiry = {}) => ({
    client: '192.168.1.9',
    comment: null,
    id: 1,
    date_added: 0,
    date_modified: 0,
    groups,
    group_expiry,
  });
  const levels = (clients: readonly ReturnType<typeof client>[], own = 0) => {
    const groups = [
      { ...group(0, true), privacy: own },
      { ...group(1, true), privacy: 1 },
      { ...group(2, false), privacy: 3 },
    ];
    const input = { domains: [], lists: [], pauses: [], isBlocking: true, nowSeconds };
    const made = buildPolicyPlan({ ...input, clients, groups });
    return [made.defaultPrivacy, ...made.clients.map(({ privacy }) => privacy)];
  };

  it('is the most private level of all groups of a client', () => {
    assert.deepEqual(levels([client([0]), client([0, 1]), client([1, 2])]), [undefined, undefined, 1, 3]);
    assert.deepEqual(levels([client([1, 2], { 2: nowSeconds - 1 }), client([])], 2), [2, 1, undefined]);
  });
});
