// Attacks with rules that are not expensive one by one: lists with as many rules, options and badfilters for
// one name as are accepted. The work is counted: reads of the name, of rows and of sets of rows, and steps of
// the budget.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decided, nameOf, ownRule, policyOf, ruleOf } from '#testing/policy/rules';
import { deepestName, worstLists } from '#testing/policy/worst-sets';
import { PatternBudget, stepsPerQuery, stepsPerSet } from '../patterns/budget.ts';
import { loadPatternCheck } from '../rules/pattern-check.ts';
import { scanRules } from '../rules/scan-rules.ts';
import { maxRowsPerName } from '../snapshot/layout.ts';
import { SnapshotBuilder } from '../snapshot/snapshot-builder.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CompiledPolicy } from './compiled-policy.ts';

const checkPattern = await loadPatternCheck();
/** Each rule takes a step, and some reads; without limits each set takes millions. */
const maxReads = 8 * stepsPerSet;
/** Options are parsed when a rule is first judged, some in each query. */
const warmUps = 100;

function snapshotOf(lines: readonly string[]): Snapshot {
  const builder = new SnapshotBuilder({ key: Int32Array.of(1, 2, 3, 4), maxBytes: 2 ** 26 });
  const bytes = new TextEncoder().encode(lines.join('\n'));
  const { entries } = scanRules(bytes, builder.list(1), { checkPattern });
  assert.equal(entries, lines.length);
  const snapshot = builder.finishHere();
  assert.ok(snapshot !== undefined);
  return snapshot;
}

class Reads {
  count = 0;

  of<T extends Uint8Array | Int32Array>(array: T): T {
    return new Proxy(array, {
      get: (target, key) => {
        this.count++;
        // Only elements and the length are read.
        return Reflect.get(target, key, target) as unknown;
      },
    });
  }
}

/** From now on. */
function countReads(snapshot: Snapshot, reads: Reads): void {
  for (const part of ['rows', 'sets'] as const)
    Object.defineProperty(snapshot, part, { value: reads.of(snapshot[part]) });
}

/** Steps of one query. */
function ask(policy: CompiledPolicy, name: Uint8Array, nameLength = nameOf(deepestName).length): number {
  policy.budget.renew();
  policy.decide(name, nameLength, 1, 0);
  return stepsPerQuery - policy.budget.left;
}

describe('the worst lists that are accepted', () => {
  for (const [title, lines] of Object.entries(worstLists)) {
    it(`${title}: no query takes more reads or steps than the limit`, () => {
      const lists = snapshotOf(lines);
      const policy = policyOf({ 1: [] }, [], { lists });
      const name = nameOf(deepestName);
      for (let asked = 0; asked < warmUps; asked++) {
        const steps = ask(policy, name);
        assert.ok(steps <= stepsPerQuery, `${steps} steps for query ${asked}`);
      }
      const reads = new Reads();
      countReads(lists, reads);
      ask(policy, reads.of(name));
      assert.ok(reads.count <= maxReads, `${reads.count} reads`);
    });
  }
});

describe('rules for one name', () => {
  const typed = (at: number) => ruleOf('x.example', { types: { only: [1000 + at], except: [] } });
  const many = Array.from({ length: maxRowsPerName + 3 }, (_, at) => typed(at));

  it('of lists above the limit are refused and counted, and the others apply', () => {
    const builder = new SnapshotBuilder();
    const sink = builder.list(4);
    for (const rule of many) sink.onRule(rule);
    assert.deepEqual(builder.counts(), [{ id: 4, entries: maxRowsPerName + 3, duplicates: 0, refused: 3 }]);
    const policy = policyOf({ 4: many });
    const name = nameOf('x.example');
    for (let asked = 0; asked < warmUps; asked++) ask(policy, name, name.length);
    assert.equal(decided(policy, 'x.example', 1000), 'block list 4');
    assert.equal(decided(policy, 'x.example', 1000 + maxRowsPerName - 1), 'block list 4');
    assert.equal(decided(policy, 'x.example', 1000 + maxRowsPerName), 'pass');
  });
});

describe('a name with more rules than there are steps', () => {
  const lines = worstLists['exceptions of each length in rules for each part of a name'] ?? [];
  const lists = snapshotOf(lines);
  const budget = new PatternBudget();
  const name = nameOf(deepestName);
  const policyWith = (own: Parameters<typeof policyOf>[1]): CompiledPolicy =>
    policyOf({ 1: [] }, own, { lists, budget });

  it('is counted once, its list is named, and its explanation lists the unfinished rules', () => {
    const policy = policyWith([]);
    const before = budget.cuts;
    const steps = ask(policy, name);
    assert.equal(steps, stepsPerSet);
    assert.equal(budget.cuts, before + 1);
    assert.deepEqual(policy.costlyRules(2), [{ listId: 1, ruleId: 0, line: 0 }]);
    const trace = policy.explain(name, name.length, 1, 0);
    assert.equal(trace.verdict, policy.decide(name, name.length, 1, 0));
    assert.ok(trace.steps.some(({ outcome }) => outcome === 'unfinished'));
  });

  it('is decided by an own rule without any of these steps', () => {
    const policy = policyWith([ownRule(7, ruleOf('allow a'))]);
    assert.equal(ask(policy, name), 0);
    assert.equal(decided(policy, deepestName), 'allow rule 7');
    const { left } = policy.budget;
    policy.explain(name, name.length, 1, 0, left);
    assert.equal(policy.budget.left, left, 'an explanation leaves as many steps for targets');
  });

  it('leaves enough steps for names with few rules of the same query', () => {
    const policy = policyWith([ownRule(7, ruleOf('exact b.example'))]);
    policy.budget.left = 0;
    assert.equal(decided(policy, 'b.example'), 'block rule 7');
  });
});
