import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { scanRules, SnapshotBuilder } from '#policy';
import { nameFromText } from '#wire';
import { noPolicy, type PlannedRule } from './policy-plan.ts';
import { WorkerPolicy } from './worker-policy.ts';

const ruleOf = (domain: string, id: number): PlannedRule => ({
  id,
  domain,
  kind: 'exact',
  action: 'block',
  groups: [0],
});

const compile = async (domains: readonly string[]) => {
  const notices: string[] = [];
  const worker = new WorkerPolicy((text) => notices.push(text));
  const policy = await worker.compile({ ...noPolicy, rules: domains.map(ruleOf) }, undefined);
  return { notices, policy };
};

describe('the policy of a worker', () => {
  it('says how many rules have no room, and is made without them', async () => {
    const { notices, policy } = await compile(
      Array.from({ length: 6000 }, (_, at) => `a.example;reply=10.0.${at >> 8}.${at & 255}`),
    );
    assert.equal(policy.version, 1);
    assert.match(notices.join('\n'), /^There is no room for \d{4} own rules, .* Delete regular expressions/);
  });

  it('keeps lists that came while none was in force', async () => {
    const builder = new SnapshotBuilder({ expectedNames: 1 });
    scanRules(Buffer.from('ads.example\n'), builder.list(1));
    const worker = new WorkerPolicy(assert.fail);
    await worker.compile(noPolicy, builder.finish(), true);
    const lists = [{ id: 1, name: 'a list', groups: [0] }];
    const policy = await worker.compile({ ...noPolicy, lists }, undefined, true);
    const name = nameFromText('ads.example') ?? new Uint8Array(1);
    const groups = policy.groupsOf({ address: new Uint8Array(16), name: undefined });
    assert.equal(policy.decide(name, name.length, 1, groups).kind, 'block');
  });

  it('leaves out what is no rule, and says so', async () => {
    const { notices } = await compile(['a b', 'c.example']);
    assert.equal(notices.length, 1);
    assert.match(notices.join('\n'), /^The rule a b is not in force/);
  });

  it('lets others have their turn while many rules are read', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    await compile(Array.from({ length: 20_000 }, (_, at) => `h${at}.example`));
    clearImmediate(turning);
    assert.ok(turns > 20, `${turns} turns`);
  });
});
