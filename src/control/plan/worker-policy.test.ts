import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RE2JS } from 're2js';

import { scanRules, SnapshotBuilder, type Policy } from '#policy';
import { nameFromText } from '#wire';
import { noPolicy, ruleTexts, type PlannedRule } from './policy-plan.ts';
import { WorkerPolicy } from './worker-policy.ts';

function ruleOf(domain: string, id: number): PlannedRule {
  return { id, domain, kind: 'exact', action: 'block', groups: [0] };
}

function textsOf(domains: readonly string[]): readonly string[] {
  return ruleTexts(domains.map(ruleOf));
}

async function compile(domains: readonly string[]) {
  const notices: string[] = [];
  const worker = new WorkerPolicy((text) => notices.push(text));
  const policy = await worker.compile(noPolicy, textsOf(domains), undefined);
  return { notices, policy };
}

function decided(policy: Policy, domain: string): string {
  const name = nameFromText(domain) ?? new Uint8Array(1);
  const groups = policy.groupsOf({ address: new Uint8Array(16), name: undefined });
  const { kind, ruleId } = policy.decide(name, name.length, 1, groups);
  return `${kind} ${ruleId}`;
}

function listOf(text: string): SharedArrayBuffer | undefined {
  const builder = new SnapshotBuilder({ expectedNames: 1 });
  scanRules(Buffer.from(text), builder.list(1));
  return builder.finish();
}

describe('the policy of a worker', () => {
  it('drops rules above the limit and reports how many', async () => {
    const { notices, policy } = await compile(
      Array.from({ length: 6000 }, (_, at) => `a.example;reply=10.0.${at >> 8}.${at & 255}`),
    );
    assert.equal(policy.version, 1);
    assert.match(
      notices.join('\n'),
      /^There is no room for \d{4} of your own rules, .* Delete regular expressions/,
    );
  });

  it('keeps a snapshot that was sent while no list was in force', async () => {
    const worker = new WorkerPolicy(assert.fail);
    await worker.compile(noPolicy, [], listOf('ads.example\n'), true);
    const lists = [{ id: 1, name: 'a list', groups: [0] }];
    const policy = await worker.compile({ ...noPolicy, lists }, [], undefined, true);
    assert.equal(decided(policy, 'ads.example'), 'block 0');
  });

  it('uses the previous snapshot when the newest is damaged, and reports it', async () => {
    const notices: string[] = [];
    const damaged = listOf('new.example\n');
    const bytes = new Uint8Array(damaged ?? new SharedArrayBuffer(1));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    const readPrevious = () => listOf('old.example\n');
    const worker = new WorkerPolicy((text) => notices.push(text), undefined, readPrevious);
    const lists = [{ id: 1, name: 'a list', groups: [0] }];
    const policy = await worker.compile({ ...noPolicy, lists }, [], damaged);
    assert.deepEqual([decided(policy, 'old.example'), decided(policy, 'new.example')], ['block 0', 'pass 0']);
    assert.match(notices.join(), /cannot be used \(.*\); the previous ones block until/);
  });

  it('does not build the expressions again when a new snapshot has the same', async (t) => {
    const worker = new WorkerPolicy(assert.fail);
    const plan = { ...noPolicy, lists: [{ id: 1, name: 'a list', groups: [0] }] };
    const rules = ruleTexts([{ ...ruleOf('^own[0-9]', 1), kind: 'regex' }]);
    const pattern = '/^ads[0-9]+[.]/\n';
    const built = t.mock.method(RE2JS, 'compile');
    await worker.compile(plan, rules, listOf(pattern), true);
    assert.equal(built.mock.callCount(), 2);
    const policy = await worker.compile(plan, rules, listOf(`${pattern}new.example\n`), true);
    assert.equal(built.mock.callCount(), 2);
    const names = ['ads7.example', 'own1.example', 'new.example', 'other.example'];
    assert.deepEqual(
      names.map((name) => decided(policy, name)),
      ['block 0', 'block 1', 'block 0', 'pass 0'],
    );
  });

  it("keeps the user's own rules when lists change, and replaces them when they change", async () => {
    const worker = new WorkerPolicy(assert.fail);
    const lists = [{ id: 1, name: 'a list', groups: [0] }];
    const plan = { ...noPolicy, lists };
    const seen: string[] = [];
    for (const [domains, list] of [
      [['own.example'], undefined],
      [['own.example'], 'ads.example\n'],
      [['own.example', 'more.example'], undefined],
      [['more.example'], 'ads.example\n'],
    ] as const) {
      const policy = await worker.compile(plan, textsOf(domains), list && listOf(list), true);
      seen.push(
        ['own.example', 'more.example', 'ads.example'].map((name) => decided(policy, name)).join(', '),
      );
    }
    assert.deepEqual(seen, [
      'block 0, pass 0, pass 0',
      'block 0, pass 0, block 0',
      'block 0, block 1, block 0',
      'pass 0, block 0, block 0',
    ]);
  });

  it('has the clients that own rules name, and those of configured clients by id', async () => {
    const worker = new WorkerPolicy(assert.fail);
    const words = [0, 0, 0, 0, 0, 0, 0, 5];
    const client = { id: 7, words, prefixBits: 128, labels: ['::5'], groups: [0] };
    const plan = { ...noPolicy, clients: [client] };
    const rules = textsOf(['a.example;client=8', 'b.example;client=7', 'c.example;client=pad']);
    const policy = await worker.compile(plan, rules, undefined);
    assert.deepEqual([...worker.clientNames], ['pad']);
    const groups = policy.groupsOf({ address: Uint8Array.from([...Array(15).fill(0), 5]), name: undefined });
    const kinds = ['a.example', 'b.example', 'c.example'].map((text) => {
      const name = nameFromText(text) ?? new Uint8Array(1);
      return policy.decide(name, name.length, 1, groups).kind;
    });
    assert.deepEqual(kinds, ['pass', 'block', 'pass']);
    await worker.compile(noPolicy, [], undefined);
    assert.equal(worker.clientNames.size, 0);
  });

  it('reports an invalid rule and ignores it', async () => {
    const { notices } = await compile(['a b', 'c.example']);
    assert.equal(notices.length, 1);
    assert.match(notices.join('\n'), /^The rule a b is not in force/);
  });

  it('yields to other work while it parses many rules', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    // Every read of this clock takes a millisecond, so two texts are parsed per turn.
    let nowMs = 0;
    const worker = new WorkerPolicy(assert.fail, () => nowMs++);
    const texts = textsOf(Array.from({ length: 20_000 }, (_, at) => `h${at}.example`));
    const policy = await worker.compile(noPolicy, texts, undefined);
    clearImmediate(turning);
    assert.ok(turns >= texts.length / 2 - 1, `${turns} turns`);
    assert.equal(decided(policy, 'h19999.example'), 'block 19999');
  });
});
