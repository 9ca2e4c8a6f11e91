// Compiled policies agree with the naive matcher, on random rules of every kind and random names of few
// letters, so that most names match several rules. SLUICE_TEST_NAMES sets how many names are tried, and
// SLUICE_TEST_SEED which: `npm run fuzz:policy`.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seeded } from '../../../test/running/seeded.ts';
import type { Choice, RuleOptions, ScannedRule } from '../rules/scanned-rule.ts';
import { parseUserRule, trustPatterns } from '../rules/user-rule.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { decideNaively, type NaiveClient, type NaiveRule } from '#testing/policy/naive-matcher';
import { decided, nameOf, noOptions, ownRule, policyOf, randomFrom, ruleOf } from '#testing/policy/rules';

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

interface KnownClient extends NaiveClient {
  readonly comment: string;
  readonly mac: string;
  readonly hostName: string;
}

function addressOf(last: number): Uint8Array {
  return new Uint8Array(16).fill(last, 15);
}
const groupSets: readonly (readonly number[])[] = [[0], [1], [2, 0], [], [1, 2]];
const macs = ['02:42:ac:11:00:01', '02:42:ac:11:00:02'];

/** Every second one has the same MAC address, and every third the same domain. */
const clients: readonly KnownClient[] = groupSets.map((groups, at) => {
  const mac = macs[at % 2] ?? '';
  const [comment, hostName] = [`The tablet ${at}`, `pc${at % 3}.lan`];
  const ranges = at < 2 ? ['::/127', '::/126'] : at < 4 ? ['::/126'] : [];
  const called = [`::${at === 0 ? '' : at}`, ...ranges, comment.toLowerCase(), mac, hostName, `pc${at % 3}`];
  return { groups, called, comment, mac, hostName };
});
/** Own rules also accept other notations, and ids. */
const callings = [...new Set(clients.flatMap(({ called }) => called)), 'stranger', 'fd00::/8'];
const ids = clients.map((_, at) => String(at + 10));

function randomClients(random: (limit: number) => number, words: readonly string[]): Choice<string> {
  const some = (most: number): string[] =>
    Array.from({ length: random(most + 1) }, () => words[random(words.length)] ?? '');
  const [only, except] = [some(3), some(2)];
  return only.length + except.length === 0 ? { only: ['::1'], except } : { only, except };
}

/** As a user writes it, in one of several ways. */
function writtenRule(rule: ScannedRule, { only, except }: Choice<string>, isUpper: boolean): ScannedRule {
  const separator = isUpper ? '|' : ',';
  const words =
    only.length === 0 ? `!${except.join(separator)}` : [...only, ...except.map((one) => `~${one}`)];
  const value = typeof words === 'string' ? words : words.join(separator);
  const domain = `x.example;client=${isUpper ? value.toUpperCase() : value}`;
  const parsed = parseUserRule({ domain, kind: 'exact', action: 'block' }, trustPatterns);
  assert.ok(parsed.isRule, domain);
  return { ...rule, options: { ...(rule.options ?? noOptions), clients: parsed.rule.options?.clients } };
}

/** A third of the rules names clients. */
function narrowed(random: (limit: number) => number, entry: NaiveRule): NaiveRule {
  if (random(3) !== 0) return entry;
  const { rule, isOwn } = entry;
  const named = randomClients(random, isOwn ? [...callings, ...ids] : callings);
  const isUpper = random(2) === 0;
  const narrow = isOwn
    ? writtenRule(rule, named, isUpper)
    : { ...rule, options: { ...(rule.options ?? noOptions), clients: named } };
  return { ...entry, rule: narrow, clients: named };
}

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
      clients: clients.map(({ groups, comment }, at) => ({
        id: at + 10,
        address: addressOf(at),
        prefixBits: 128,
        names: [],
        labels: [comment],
        tags: [],
        groups,
        isBlocking: true,
      })),
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
  return [...own, ...ofLists].map((entry) => narrowed(random, entry));
}

const noClient: KnownClient = { groups: [], called: [], comment: '', mac: '', hostName: '' };

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
  const at = random(clients.length);
  const { groups: ofClient, called, mac, hostName } = clients[at] ?? noClient;
  const groups = policy.groupsOf({ address: addressOf(at), name: undefined, mac, hostName });
  const who = { groups: ofClient, called: [...called, ids[at] ?? ''] };
  const expected = labelOf(decideNaively(rules, text, type, who, isOn));
  const found = decided(policy, text, type, groups);
  assert.equal(found, expected, `${text} type ${type} client ${at}`);
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
