// The cost of a decision for a query without a matching rule, in this process: with a million names, with two
// hundred regular expressions, and with the most expensive accepted expressions and the longest names. Names
// come in an order that defeats the processor's caches; the expressions get new names after 50,000 others.

import {
  createOwnLayer,
  createPolicy,
  emptyPolicy,
  loadPatternCheck,
  type OwnRule,
  parseUserRule,
  type Policy,
  scanRules,
  type Snapshot,
  SnapshotBuilder,
} from '#policy';
import { amountRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import { blockedName, passedName } from './names.ts';

const ROUNDS = 7;
const ASKED = 200_000;
const WARM_UP = 50_000;
const EXPRESSIONS = 200;
const WORST_LISTS = 10;
const LOOSE_PER_LIST = 30;
const TYPE_A = 1;

export async function decideRows(names: number): Promise<readonly Row[]> {
  const lists = snapshotOf(names);
  const policy = await policyOf(lists, []);
  const regexes = await policyOf(snapshotOf(1), Array.from({ length: EXPRESSIONS }, expression));
  const warm = wireNames(0, WARM_UP);
  time(regexes, warm);
  return [
    amountRow(
      'policy: name without a rule, 1,000,000 names, added',
      added(policy, () => wireNames(0, ASKED)),
      'us',
      0.4,
    ),
    amountRow('policy: 200 regular expressions, added', added(regexes, freshNames()), 'us', 3),
    amountRow('policy: worst expressions, longest names', await worstMs(), 'ms', 5),
    amountRow('policy: memory per name', lists.sizeBytes / names, 'bytes', 16),
  ];
}

/** Milliseconds for a name of 250 bytes, with user's rules and lists at all limits. */
async function worstMs(): Promise<number> {
  const builder = new SnapshotBuilder({ expectedNames: 0 });
  const lines = Array.from({ length: WORST_LISTS * LOOSE_PER_LIST }, (_, at) => `/${worstExpression(at)}/`);
  for (let list = 0; list < WORST_LISTS; list++) {
    const some = lines.slice(list * LOOSE_PER_LIST, (list + 1) * LOOSE_PER_LIST);
    scanRules(Buffer.from(some.join('\n')), builder.list(list + 1), {
      checkPattern: await loadPatternCheck(),
    });
  }
  const lists = builder.finishHere();
  if (lists === undefined) throw new Error('There is not enough memory for the snapshot.');
  const policy = await policyOf(
    lists,
    lines.map((_, at) => ownRule(worstExpression(at), at)),
  );
  const rounds = Array.from({ length: ROUNDS }, (_, round) => time(policy, longNames(round)) / 1000);
  return median(rounds);
}

/** Does not finish for names of one letter, and costs nearly the allowed maximum. */
function worstExpression(index: number): string {
  return `.{0,30}.{0,30}[^a.]{${3 + (index % 15)}}(x${index})?`;
}

function longNames(round: number): WireNames {
  const names = Array.from({ length: 100 }, (_, at) => {
    const rest = `${'a'.repeat(40 - (at % 40))}.${'a'.repeat(1 + Math.floor(at / 40) + 3 * round)}`;
    return wireOf(`${`${'a'.repeat(63)}.`.repeat(3)}${rest}`.slice(0, 253));
  });
  return { bytes: Buffer.concat(names), lengths: Uint8Array.from(names, ({ length }) => length) };
}

/** Additional microseconds per decision, compared with a policy without rules; rounds are interleaved. */
function added(policy: Policy, namesOf: () => WireNames): number {
  const differences = Array.from({ length: ROUNDS }, () => {
    const names = namesOf();
    const without = time(emptyPolicy, names);
    return time(policy, names) - without;
  });
  return median(differences);
}

function time(policy: Policy, { bytes, lengths }: WireNames): number {
  const groups = policy.groupsOf({ address: new Uint8Array(16), name: undefined });
  const startedMs = performance.now();
  let at = 0;
  const name = new Uint8Array(256);
  for (const length of lengths) {
    for (let octet = 0; octet < length; octet++) name[octet] = bytes[at + octet] ?? 0;
    policy.budget.renew();
    policy.decide(name, length, TYPE_A, groups);
    at += length;
  }
  return ((performance.now() - startedMs) * 1000) / lengths.length;
}

type WireNames = { readonly bytes: Uint8Array; readonly lengths: Uint8Array };

/** Names that no round has used before. */
function freshNames(): () => WireNames {
  let next = WARM_UP;
  return () => wireNames((next += ASKED), ASKED);
}

function wireNames(from: number, count: number): WireNames {
  const names = Array.from({ length: count }, (_, at) => wireOf(passedName(from + ((at * 7919) % count))));
  return { bytes: Buffer.concat(names), lengths: Uint8Array.from(names, ({ length }) => length) };
}

function wireOf(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ]);
}

function snapshotOf(count: number): Snapshot {
  const builder = new SnapshotBuilder({ expectedNames: count });
  const sink = builder.list(1);
  for (let from = 0; from < count; from += 100_000) {
    const lines = Array.from({ length: Math.min(100_000, count - from) }, (_, at) => blockedName(from + at));
    scanRules(Buffer.from(`${lines.join('\n')}\n`), sink);
  }
  const snapshot = builder.finishHere();
  if (snapshot === undefined) throw new Error('There is not enough memory for the snapshot.');
  return snapshot;
}

function policyOf(lists: Snapshot, rules: readonly OwnRule[]): Promise<Policy> {
  return createPolicy({
    version: 1,
    lists,
    listsInForce: lists.meta.sources.map(({ id }) => ({ id, name: 'names', groups: [0] })),
    own: createOwnLayer(rules, lists.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
  });
}

/** Typical expressions: with and without anchors, alternatives, classes, repetitions. */
function expression(_: unknown, index: number): OwnRule {
  const forms = [
    `^ad[0-9]*${index}[-.]`,
    `(\\.|^)track${index}\\.(com|net)$`,
    `tele${index}metry`,
    `^x${index}.*\\.cdn\\.`,
  ];
  return ownRule(forms[index % forms.length] ?? '', index);
}

function ownRule(domain: string, index: number): OwnRule {
  const parsed = parseUserRule({ domain, kind: 'regex', action: 'block' }, () => ({ kind: 'fine' }));
  if (!parsed.isRule) throw new Error(`${domain}: ${parsed.hint}`);
  return { id: index + 1, groups: [0], rule: parsed.rule };
}
