// Compiled policies agree with the naive matcher, on random rules of every kind and random names of few
// letters, so that most names match several rules. SLUICE_TEST_NAMES sets how many names are tried, and
// SLUICE_TEST_SEED which: `npm run fuzz:policy`.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seeded } from '../../../test/running/seeded.ts';
import type { RuleOptions, ScannedRule } from '../rules/scanned-rule.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { decideNaively, type NaiveRule } from '#testing/policy/naive-matcher';
import { decided, nameOf, ownRule, policyOf, randomFrom, ruleOf } from '#testing/policy/rules';

const names = Number(process.env['SLUICE_TEST_NAMES'] ?? 40_000);
const { seed: firstSeed } = seeded();
const namesPerPolicy = 1000;

const labels = ['a', 'b', 'ab', 'ads', 'x-1', 'com'];
const patterns = ['^a', 'b$', '[.]ads[.]', '^(a|b)+[.]', 'x-[0-9]', 'AB', 'com', '^[^.]+[.][^.]+$'];

function randomName(random: (limit: number) => number): string {
  return Array.from({ length: 1 + random(4) }, () => labels[random(labels.length)] ?? 'a').join('.');
}

function randomOptions(random: (limit: number) => number): Partial<RuleOptions> | undefined {
  switch (random(16)) {
    case 0:
      return { types: { only: [1, 28].slice(random(2)), except: [] } };
    case 1:
      return { types: { only: [], except: [1] } };
    case 2:
      return { denyallow: [nameOf(randomName(random)), nameOf(randomName(random))] };
    case 3:
      return { isBadfilter: true };
    case 4:
      return { types: { only: [], except: [1] }, isBadfilter: true };
    case 5:
      return { isInverted: true };
    default:
      return undefined;
  }
}

function randomRule(random: (limit: number) => number): ScannedRule {
  const options = randomOptions(random);
  const isPattern = random(8) === 0;
  const kind = isPattern ? 'regex' : (['exact', 'below', 'onlyBelow'][random(3)] ?? 'exact');
  const text = isPattern ? patterns[random(patterns.length)] : randomName(random);
  const words = [random(4) === 0 ? 'allow' : 'block', random(6) === 0 ? 'important' : '', kind, text];
  // Only patterns can be inverted.
  return ruleOf(words.join(' '), options?.isInverted === true && !isPattern ? undefined : options);
}

const client = { prefixBits: 128, names: [], tags: [], isBlocking: true };
function addressOf(last: number): Uint8Array {
  return new Uint8Array(16).fill(last, 15);
}
const groupSets: readonly (readonly number[])[] = [[0], [1], [2, 0], [], [1, 2]];

function compile(rules: readonly NaiveRule[], isBlocking: boolean): CompiledPolicy {
  const lists = Object.groupBy(
    rules.filter(({ isOwn }) => !isOwn),
    ({ id }) => id,
  );
  const scanned = Object.entries(lists).map(
    ([id, all]) => [id, (all ?? []).map(({ rule }) => rule)] as const,
  );
  return policyOf(
    Object.fromEntries(scanned),
    rules.filter(({ isOwn }) => isOwn).map(({ id, rule, groups }) => ownRule(id, rule, groups)),
    {
      isBlocking,
      listsInForce: Object.values(lists).map((all) => ({ id: 0, groups: [], name: '', ...all?.[0] })),
      clients: groupSets.map((groups, at) => ({ ...client, address: addressOf(at), groups })),
    },
  );
}

function randomRules(random: (limit: number) => number): NaiveRule[] {
  const listGroups = Array.from({ length: 6 }, () => groupSets[random(5)] ?? []);
  const ofLists = Array.from({ length: 2 + random(40) }, () => {
    const id = 1 + random(6);
    return { isOwn: false, id, groups: listGroups[id - 1] ?? [], rule: randomRule(random) };
  });
  const own = Array.from({ length: random(8) }, (_, at) => {
    return { isOwn: true, id: at + 1, groups: groupSets[random(5)] ?? [], rule: randomRule(random) };
  });
  return [...own, ...ofLists];
}

function labelOf(rule: NaiveRule | undefined): string {
  if (rule === undefined) return 'pass';
  return `${rule.rule.action} ${rule.isOwn ? 'rule' : 'list'} ${rule.id}`;
}

function checkOne(
  policy: CompiledPolicy,
  rules: NaiveRule[],
  random: (limit: number) => number,
  isOn: boolean,
) {
  const text = randomName(random);
  const name = nameOf(text);
  const type = random(2) === 0 ? 1 : 28;
  const at = random(groupSets.length);
  const groups = policy.groupsOf({ address: addressOf(at), name: undefined });
  const expected = labelOf(decideNaively(rules, text, type, groupSets[at] ?? [], isOn));
  const found = decided(policy, text, type, groups);
  assert.equal(found, expected, `${text} type ${type} groups ${groupSets[at]?.join()}`);
  if (random(16) === 0) checkTrace(policy, name, type, groups);
  return found.split(' ')[0] ?? '';
}

function checkTrace(policy: CompiledPolicy, name: Uint8Array, type: number, groups: number) {
  const { verdict, winner } = policy.explain(name, name.length, type, groups);
  assert.equal(verdict, policy.decide(name, name.length, type, groups));
  assert.equal(winner?.listId ?? 0, verdict.listId);
  assert.equal(winner?.ruleId ?? 0, verdict.ruleId);
}

it(`compiled policies agree with the naive matcher on ${names} names (seed ${firstSeed})`, () => {
  const kinds = new Map<string, number>();
  for (let tried = 0, seed = firstSeed; tried < names; tried += namesPerPolicy, seed++) {
    const random = randomFrom(seed);
    const rules = randomRules(random);
    const isBlocking = random(5) !== 0;
    const policy = compile(rules, isBlocking);
    for (let asked = 0; asked < namesPerPolicy; asked++) {
      const kind = checkOne(policy, rules, random, isBlocking);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  // Random rules that decide nothing would prove nothing.
  for (const kind of ['pass', 'allow', 'block']) assert.ok((kinds.get(kind) ?? 0) > names / 20, kind);
});
