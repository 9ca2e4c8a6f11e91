// For tests: creates rules from a few words (`allow important below ads.example`), and snapshots and policies
// from rules.

import * as re2js from 're2js';
import { nameFromText } from '#wire';
import { PatternReader } from '../../policy/patterns/pattern-reader.ts';
import type { RuleOptions, ScannedRule } from '../../policy/rules/scanned-rule.ts';
import type { Snapshot } from '../../policy/snapshot/snapshot.ts';
import { SnapshotBuilder } from '../../policy/snapshot/snapshot-builder.ts';
import { CompiledPolicy, type PolicyOptions } from '../../policy/decide/compiled-policy.ts';
import { createOwnLayer, type OwnRule } from '../../policy/decide/own-layer.ts';

export function nameOf(text: string): Uint8Array {
  const name = nameFromText(text);
  if (name === undefined) throw new Error(`"${text}" is not a name`);
  return name;
}

/** Random numbers below `limit`, reproducible by their seed. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b1) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

export const noOptions: RuleOptions = {
  types: undefined,
  denyallow: undefined,
  clients: undefined,
  tags: undefined,
  form: undefined,
  isBadfilter: false,
  isInverted: false,
};

/** `[block|allow] [important] [exact|below|onlyBelow|regex] TEXT`. */
export function ruleOf(words: string, options?: Partial<RuleOptions>): ScannedRule {
  const all = words.split(' ');
  const text = all.at(-1) ?? '';
  const isPattern = all.includes('regex');
  const name = isPattern ? new Uint8Array(0) : nameOf(text);
  return {
    action: all.includes('allow') ? 'allow' : 'block',
    reach: all.includes('exact') ? 'exact' : all.includes('onlyBelow') ? 'onlyBelow' : 'below',
    name,
    nameLength: name.length,
    line: 7,
    isImportant: all.includes('important'),
    options: options === undefined ? undefined : { ...noOptions, ...options },
    pattern: isPattern ? text : undefined,
    address: undefined,
  };
}

export function addressRule(bytes: number[], prefixBits: number, words = 'block'): ScannedRule {
  const address = { bytes: Uint8Array.from(bytes), prefixBits };
  return { ...ruleOf(`${words} exact x`), nameLength: 0, address };
}

export function ownRule(id: number, rule: ScannedRule, groups: readonly number[] = [0]): OwnRule {
  return {
    id,
    groups,
    rule,
  };
}

/** The rules of each list, by its id. */
export type Lists = Readonly<Record<number, readonly ScannedRule[]>>;

export function snapshotOf(lists: Lists, key = Int32Array.of(1, 2, 3, 4)): Snapshot {
  const builder = new SnapshotBuilder({ key, maxBytes: 2 ** 24 });
  for (const [id, rules] of Object.entries(lists)) {
    const sink = builder.list(Number(id));
    for (const rule of rules) sink.onRule(rule);
  }
  const snapshot = builder.finishHere();
  if (snapshot === undefined) throw new Error('the rules of a test do not fit');
  return snapshot;
}

/** By default all lists and unknown clients are in group 0. */
export function policyOf(
  lists: Lists,
  own: readonly OwnRule[] = [],
  more: Partial<PolicyOptions> = {},
): CompiledPolicy {
  const snapshot = snapshotOf(lists);
  const options: PolicyOptions = {
    version: 1,
    lists: snapshot,
    listsInForce: Object.keys(lists).map((id) => ({ id: Number(id), groups: [0], name: `list ${id}` })),
    own: createOwnLayer(own, snapshot.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
    ...more,
  };
  return new CompiledPolicy(options, new PatternReader(re2js));
}

/** `KIND list N`, `KIND rule N` or `pass`. */
export function decided(policy: CompiledPolicy, text: string, type = 1, groups = 0): string {
  const name = nameOf(text);
  const { kind, listId, ruleId } = policy.decide(name, name.length, type, groups);
  if (kind === 'pass') return 'pass';
  return listId === 0 ? `${kind} rule ${ruleId}` : `${kind} list ${listId}`;
}
