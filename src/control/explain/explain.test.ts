// Explanations in a dns worker: the limit of parallel ones, the timeout of upstreams, and faults.

import { limits } from '#contract/limits';
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { countersBytes, Engine, makeRecordRing, noForwarder, Outgoing, type Inquiry } from '#engine';
import { emptyPolicy } from '#policy';
import { nameFromText } from '#wire';
import { resolveSettings } from '#store/settings';
import { buildPlan } from '../plan/plan.ts';
import { noPolicy } from '../plan/policy-plan.ts';
import { createExplain, maxUpstreamMs } from './explain.ts';

type Outcome = Parameters<Engine['queryUpstreams']>[1];

const nothing = new Map<string, never>();
const plan = buildPlan(
  {
    settings: resolveSettings({ pinned: nothing, stored: nothing, defaults: nothing }).values,
    machine: { hostname: 'box', addresses: [], allAddresses: [], subnets: [], routers: [], resolvers: [] },
    listensByDefault: true,
    foreignAddresses: [],
    productVersion: '1',
    apiUrls: { local: [], domain: [] },
    loopKey: 'key',
    policy: noPolicy,
  },
  1,
);

/** An engine whose upstreams answer when the test calls their outcome. */
function scene(t: TestContext) {
  const queries: Outcome[] = [];
  const notices: string[] = [];
  const forwarder = { ...noForwarder, forward: (_: unknown, outcome: Outcome) => void queries.push(outcome) };
  const engine = new Engine(plan.options.engine, {
    policy: emptyPolicy,
    forwarder,
    outgoing: new Outgoing(),
    cacheBytes: 65_536,
    hashSeed: 1,
    records: makeRecordRing(0),
    counters: new SharedArrayBuffer(countersBytes),
    nowMs: () => 0,
    wallMs: () => 0,
    onBusy: () => undefined,
  });
  t.after(() => engine.close());
  return { engine, queries, notices, explain: createExplain(engine, (text) => notices.push(text)) };
}

const inquiry: Inquiry = {
  name: nameFromText('www.example.org') ?? new Uint8Array(1),
  type: 1,
  client: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1),
};

describe('explanations in a worker', () => {
  it('are limited in number, and are possible again when some have ended', async (t) => {
    const { queries, explain } = scene(t);
    const begun = Array.from({ length: limits.explanationsPerWorker }, () =>
      explain({ inquiry, resolves: true }),
    );
    assert.equal(await explain({ inquiry, resolves: true }), undefined);
    assert.equal(queries.length, limits.explanationsPerWorker);
    for (const outcome of queries.splice(0)) outcome.onFailure('unreachable', -1);
    const outcomes = (await Promise.all(begun)).map((explained) => explained?.upstream?.outcome);
    assert.deepEqual(new Set(outcomes), new Set(['unreachable']));
    assert.equal((await explain({ inquiry, resolves: false }))?.upstream?.outcome, undefined);
    assert.equal(queries.length, 0);
  });

  it('time out when upstreams take too long, and a late reply is ignored', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { queries, explain } = scene(t);
    const begun = explain({ inquiry, resolves: true });
    t.mock.timers.tick(maxUpstreamMs);
    assert.equal((await begun)?.upstream?.outcome, 'timeout');
    queries[0]?.onFailure('unreachable', -1);
  });

  it('that throw are reported, and later ones work', async (t) => {
    const { engine, notices, explain } = scene(t);
    const decide = (): never => {
      throw new Error('a fault');
    };
    engine.setPolicy({ ...emptyPolicy, decide });
    assert.equal(await explain({ inquiry, resolves: true }), undefined);
    assert.match(notices.join(), /please report it: Error: a fault/u);
    engine.setPolicy(emptyPolicy);
    assert.equal((await explain({ inquiry, resolves: false }))?.decidedBy, 'nothing');
  });
});
