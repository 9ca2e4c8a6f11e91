// How long compiling a hundred thousand own rules blocks the event loop of a dns worker, measured in CPU time
// of the thread. A garbage collection can lengthen a turn.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Policy } from '#policy';
import { nameFromText } from '#wire';
import { noPolicy, ruleTexts, type PlannedRule } from './policy-plan.ts';
import { WorkerPolicy } from './worker-policy.ts';

const rules = 100_000;
const maxTurnMs = 10;
/** Garbage collections, or a host that preempts the core, may make this many turns longer. */
const maxLongTurns = 5;

function ruleOf(domain: string, id: number): PlannedRule {
  return { id, domain, kind: 'exact', action: 'block', groups: [0] };
}

function textsOf(domains: readonly string[]): readonly string[] {
  return ruleTexts(domains.map(ruleOf));
}

function ruleThatBlocks(policy: Policy, domain: string): number {
  const name = nameFromText(domain) ?? new Uint8Array(1);
  const groups = policy.groupsOf({ address: new Uint8Array(16), name: undefined });
  return policy.decide(name, name.length, 1, groups).ruleId;
}

/** The CPU time of each turn of the event loop during the work. */
async function turnsOf(work: () => Promise<unknown>): Promise<readonly number[]> {
  const turns: number[] = [];
  let last = process.threadCpuUsage();
  const measure = (): void => {
    const { user, system } = process.threadCpuUsage();
    turns.push((user + system - last.user - last.system) / 1000);
    last = { user, system };
  };
  const timer = setInterval(measure, 0);
  await work();
  measure();
  clearInterval(timer);
  return turns;
}

it(`a worker that compiles ${rules} rules can answer queries every ${maxTurnMs} ms`, async () => {
  const domains = Array.from({ length: rules }, (_, at) => `h${at}.own${at % 9}.example`);
  const worker = new WorkerPolicy(assert.fail, () => performance.now());
  await worker.compile(noPolicy, textsOf(domains), undefined);
  const more = textsOf([...domains, 'one.more.example']);
  const turns = await turnsOf(async () => {
    const policy = await worker.compile(noPolicy, more, undefined);
    assert.equal(ruleThatBlocks(policy, 'one.more.example'), rules);
  });
  const longest = turns.toSorted((a, b) => b - a).slice(0, 2 * maxLongTurns);
  const state = `${turns.length} turns, the longest in ms: ${longest.join(' ')}`;
  assert.ok(turns.length > 40 && (longest[maxLongTurns] ?? Infinity) < maxTurnMs, state);
});
