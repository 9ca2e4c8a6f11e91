// When rules with options apply: types, exceptions, clients, tags, groups, badfilters, forms of answers,
// inverted patterns, addresses.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from '#wire';
import type { RuleOptions } from '../rules/scanned-rule.ts';
import { maxConditions } from './client-conditions.ts';
import { GroupSets, maxGroupSets } from './group-sets.ts';
import { addressRule, decided, nameOf, ownRule, policyOf, ruleOf } from '#testing/policy/rules';

function mapped(...ipv4: number[]): Uint8Array {
  return Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...ipv4]);
}
const client = { address: undefined, prefixBits: 128, names: [], tags: [], groups: [0], isBlocking: true };
function only<T>(...all: T[]) {
  return { only: all, except: [] };
}
function except<T>(...all: T[]) {
  return { only: [], except: all };
}

describe('the type of the query', () => {
  const cases: readonly (readonly [Partial<RuleOptions>, number, string])[] = [
    [{ types: only<number>(Type.A, Type.AAAA) }, Type.A, 'block list 1'],
    [{ types: only<number>(Type.A, Type.AAAA) }, Type.TXT, 'pass'],
    [{ types: except<number>(Type.A) }, Type.A, 'pass'],
    [{ types: except<number>(Type.A) }, Type.MX, 'block list 1'],
  ];
  for (const [options, type, expected] of cases) {
    it(`${JSON.stringify(options)} and type ${type}: ${expected}`, () => {
      assert.equal(decided(policyOf({ 1: [ruleOf('x.example', options)] }), 'a.x.example', type), expected);
      assert.equal(decided(policyOf({ 1: [ruleOf('regex ^a', options)] }), 'a.x.example', type), expected);
    });
  }
});

describe('names that a rule excludes', () => {
  const policy = policyOf({ 1: [ruleOf('com', { denyallow: [nameOf('good.com'), nameOf('b.net')] })] });
  for (const [name, expected] of [
    ['bad.com', 'block list 1'],
    ['good.com', 'pass'],
    ['www.good.com', 'pass'],
    ['notgood.com', 'block list 1'],
  ] as const)
    it(`${name}: ${expected}`, () => assert.equal(decided(policy, name), expected));
});

describe('clients and tags', () => {
  const cases: readonly (readonly [string, Partial<RuleOptions>, string])[] = [
    ['its address', { clients: only('192.168.1.7') }, 'block list 1'],
    ['its range', { clients: only('10.0.0.0/8', '192.168.0.0/16') }, 'block list 1'],
    ['another range', { clients: only('fd00::/8', '10.0.0.0/8') }, 'pass'],
    ['its name', { clients: only('tablet') }, 'block list 1'],
    ['another name', { clients: only('phone') }, 'pass'],
    ['its id', { clients: only('#7') }, 'block list 1'],
    ['another id', { clients: only('#8') }, 'pass'],
    ['all IPv4 addresses', { clients: only('0.0.0.0/0') }, 'block list 1'],
    ['all IPv6 addresses', { clients: only('::/0') }, 'pass'],
    ['a range without a length', { clients: only('192.168.1.0/') }, 'pass'],
    ['its range but not it', { clients: { only: ['192.168.0.0/16'], except: ['#7'] } }, 'pass'],
    ['all but it', { clients: except('tablet') }, 'pass'],
    ['all but another', { clients: except('phone') }, 'block list 1'],
    ['its tag', { tags: only('device_tablet') }, 'block list 1'],
    ['another tag', { tags: only('device_phone') }, 'pass'],
    [
      'its range, but not its tag',
      { clients: only('192.168.0.0/16'), tags: except('device_tablet') },
      'pass',
    ],
  ];
  const row = {
    ...client,
    id: 7,
    address: mapped(192, 168, 1, 7),
    names: ['Tablet'],
    tags: ['device_tablet'],
  };
  for (const [title, options, expected] of cases) {
    it(`a rule for ${title}: ${expected}`, () => {
      const policy = policyOf({ 1: [ruleOf('x.example', options)] }, [], { clients: [row] });
      const groups = policy.groupsOf({ address: mapped(192, 168, 1, 7), name: undefined });
      assert.equal(decided(policy, 'x.example', 1, groups), expected);
    });
  }
});

describe('limits of clients and groups', () => {
  const addressOf = (at: number): Uint8Array => mapped(10, at >> 16, (at >> 8) & 255, at & 255);

  it('too many rules for single clients apply to no client', () => {
    const name = (at: number): string => `h${at}.example`;
    const rules = Array.from({ length: maxConditions + 5 }, (_, at) =>
      ruleOf(name(at), { clients: only(`client-${at}`) }),
    );
    const policy = policyOf({ 1: rules });
    const ask = (at: number): string =>
      decided(policy, name(at), 1, policy.groupsOf({ address: addressOf(1), name: `client-${at}` }));
    assert.equal(ask(maxConditions - 2), 'block list 1');
    assert.equal(ask(maxConditions - 1), 'pass');
    assert.equal(ask(maxConditions + 4), 'pass');
  });

  it('a client above the limit of group sets counts as unknown', () => {
    const sets = new GroupSets();
    sets.scopeOf([1]);
    for (let at = 0; at < maxGroupSets; at++) assert.equal(sets.numberOf([at], true, [], 0), at);
    assert.equal(sets.numberOf([maxGroupSets], true, [], 0), 0);
    assert.equal(sets.numberOf([7], true, [], 0), 7);
  });
});

describe('groups', () => {
  const lists = { 1: [ruleOf('x.example')], 2: [ruleOf('allow y.example')], 3: [ruleOf('y.example')] };
  const listsInForce = [
    { id: 1, groups: [0, 5], name: '' },
    { id: 2, groups: [5], name: '' },
    { id: 3, groups: [0, 7], name: '' },
  ];
  const own = [ownRule(1, ruleOf('regex ^z'), [7]), ownRule(2, ruleOf('exact z.example'), [5, 0])];
  const rows = [
    { ...client, address: mapped(10, 0, 0, 5), groups: [5] },
    { ...client, address: mapped(10, 0, 0, 57), groups: [7, 5, 7] },
    { ...client, address: mapped(10, 0, 0, 0), prefixBits: 96 + 21, groups: [] },
    { ...client, address: mapped(10, 0, 0, 0), prefixBits: 96 + 24, groups: [7] },
    { ...client, address: mapped(10, 0, 0, 0), prefixBits: 96 + 16, groups: [0] },
    { ...client, address: mapped(10, 0, 0, 58), groups: [5, 7] },
    { ...client, address: mapped(10, 0, 0, 9), groups: [] },
    { ...client, address: mapped(10, 0, 0, 10), isBlocking: false },
    { ...client, names: ['Tablet'], groups: [7] },
  ];
  const policy = policyOf(lists, own, { listsInForce, clients: rows });
  const groupsOf = (last: number, name?: string): number =>
    policy.groupsOf({ address: mapped(10, last === 1 ? 1 : 0, 0, last), name });
  const cases: readonly (readonly [string, number, string])[] = [
    ['an unknown client', groupsOf(1), 'block list 1, block list 3, block rule 2'],
    ['one by its address', groupsOf(5), 'block list 1, allow list 2, block rule 2'],
    ['one of two groups', groupsOf(57), 'block list 1, allow list 2, block rule 2'],
    ['one by its range', groupsOf(77), 'pass, block list 3, block rule 1'],
    ['one of no group', groupsOf(9), 'pass, pass, pass'],
    ['one that is paused', groupsOf(10), 'pass, pass, pass'],
    ['one by its name', groupsOf(1, 'TABLET'), 'pass, block list 3, block rule 1'],
  ];
  for (const [title, groups, expected] of cases) {
    it(`decide which rules exist for ${title}`, () => {
      const all = ['x.example', 'y.example', 'z.example'].map((name) => decided(policy, name, 1, groups));
      assert.equal(all.join(', '), expected);
    });
  }
  it('have one number for the same rules, and an unknown number means unknown clients', () => {
    assert.equal(groupsOf(1), 0);
    assert.equal(groupsOf(77), groupsOf(1, 'tablet'));
    assert.notEqual(groupsOf(5), groupsOf(57));
    assert.equal(groupsOf(57), groupsOf(58));
    assert.equal(decided(policy, 'x.example', 1, 4711), 'block list 1');
  });
});

describe('badfilters', () => {
  const off = { isBadfilter: true };
  const types = { types: only<number>(Type.A) };
  const cases: readonly (readonly [
    string,
    readonly [ReturnType<typeof ruleOf>[], ReturnType<typeof ruleOf>[]],
    string,
  ])[] = [
    ['the same rule of another list', [[ruleOf('x.example')], [ruleOf('x.example', off)]], 'pass'],
    ['not one of another reach', [[ruleOf('x.example')], [ruleOf('exact x.example', off)]], 'block list 1'],
    ['not an important one', [[ruleOf('important x.example')], [ruleOf('x.example', off)]], 'block list 1'],
    ['the same options', [[ruleOf('x.example', types)], [ruleOf('x.example', { ...types, ...off })]], 'pass'],
    ['not other options', [[ruleOf('x.example', types)], [ruleOf('x.example', off)]], 'block list 1'],
    ['a pattern', [[ruleOf('regex ^x')], [ruleOf('regex ^x', off)]], 'pass'],
    ['not another pattern', [[ruleOf('regex ^x')], [ruleOf('regex x$', off)]], 'block list 1'],
  ];
  for (const [title, [first, second], expected] of cases)
    it(`switch off ${title}`, () =>
      assert.equal(decided(policyOf({ 1: first, 2: second }), 'x.example'), expected));
  it('apply only to the groups of their list', () => {
    const lists = { 1: [ruleOf('x.example')], 2: [ruleOf('x.example', off)] };
    const listsInForce = [
      { id: 1, groups: [0], name: '' },
      { id: 2, groups: [1], name: '' },
    ];
    assert.equal(decided(policyOf(lists, [], { listsInForce }), 'x.example'), 'block list 1');
  });
});

describe('answers of rules', () => {
  const target = nameOf('safe.example');
  const verdictOf = (options: Partial<RuleOptions>, words = 'block x.example') => {
    const policy = policyOf({ 4: [ruleOf(words, options)] });
    return policy.decide(nameOf('x.example'), nameOf('x.example').length, 1, 0);
  };
  it('come with the verdict, and an alias is a local answer', () => {
    const addresses = { kind: 'addresses', ipv4: [Uint8Array.of(1, 2, 3, 4)], ipv6: [] } as const;
    assert.deepEqual(verdictOf({ form: { kind: 'nx' } }).form, { kind: 'nx' });
    assert.equal(verdictOf({ form: { kind: 'nx' } }).kind, 'block');
    assert.deepEqual(verdictOf({ form: addresses }).form, addresses);
    assert.deepEqual(verdictOf({ form: { kind: 'cname', target } }).form, { kind: 'cname', target });
    assert.equal(verdictOf({ form: { kind: 'cname', target } }).kind, 'local');
    assert.equal(verdictOf({ form: { kind: 'nx' } }, 'allow x.example').form, undefined);
  });
  it('name the list, and are the same object each time', () => {
    const policy = policyOf({ 4: [ruleOf('x.example'), ruleOf('y.example')] }, [
      ownRule(3, ruleOf('regex ^z')),
    ]);
    const ask = (text: string) => policy.decide(nameOf(text), nameOf(text).length, 1, 0);
    assert.equal(ask('x.example'), ask('a.y.example'));
    assert.equal(ask('x.example').text, 'list 4');
    assert.equal(ask('x.example').reason, 'list');
    assert.equal(ask('z.example').reason, 'regex');
    assert.equal(ask('z.example').ruleId, 3);
  });
});

describe('inverted patterns', () => {
  const inverted = ruleOf('regex [.]example$', { isInverted: true });
  const policy = policyOf({ 2: [ruleOf('regex ^x')] }, [
    ownRule(1, inverted),
    ownRule(2, ruleOf('regex ^y')),
  ]);
  for (const [name, expected] of [
    ['x.example', 'block list 2'],
    ['x.test', 'block rule 1'],
    ['y.example', 'block rule 2'],
    ['y.test', 'block rule 1'],
    ['z.example', 'pass'],
  ] as const)
    it(`${name}: ${expected}`, () => assert.equal(decided(policy, name), expected));
});

describe('addresses', () => {
  const policy = policyOf({
    1: [addressRule([10, 1, 0, 0], 16), addressRule([0xfd, ...Array<number>(15).fill(0)], 9)],
    2: [
      addressRule([10, 1, 2, 3], 32),
      addressRule([10, 9, 0, 0], 16),
      addressRule([10, 9, 9, 9], 32, 'allow'),
    ],
    3: [ruleOf('exact 1.10'), ruleOf('x')],
  });
  const cases: readonly (readonly [number[], string])[] = [
    [[10, 1, 7, 7], 'block 1'],
    [[10, 1, 2, 3], 'block 2'],
    [[10, 2, 0, 0], 'pass 0'],
    [[10, 9, 9, 9], 'allow 2'],
    [[0xfd, 0x7f, ...Array<number>(14).fill(1)], 'block 1'],
    [[0xfd, 0x80, ...Array<number>(14).fill(1)], 'pass 0'],
  ];
  for (const [bytes, expected] of cases) {
    it(`${bytes.join('.')}: ${expected}`, () => {
      const { kind, listId } = policy.decideAddress(Uint8Array.from([0, ...bytes]), 1, bytes.length, 0);
      assert.equal(`${kind} ${listId}`, expected);
      const trace = policy.explainAddress(Uint8Array.from(bytes), 0, bytes.length, 0);
      assert.equal(trace.winner?.listId ?? 0, listId);
    });
  }
});
