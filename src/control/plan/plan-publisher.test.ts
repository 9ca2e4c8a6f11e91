import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createLog } from '#platform/log';
import { LiveSettings } from '#store/settings';
import { PlanPublisher, type FeederParts } from './plan-publisher.ts';
import { noPolicy, readPolicyPlan } from './policy-plan.ts';

const log = createLog({
  thread: 'api',
  level: () => 'error',
  format: 'text',
  nowMs: () => 0,
  write: () => undefined,
});
const machine = { hostname: 'box', addresses: [], allAddresses: [], subnets: [], routers: [], resolvers: [] };

type Outcome = Awaited<ReturnType<FeederParts['apply']>>;

const acknowledged: Outcome = { workers: 1, late: [] };
const isBlockingAt = (wallMs: number): boolean => wallMs >= 1_000_000 && wallMs < 2_000_000;

/** Blocking is on from 1000 to 2000 seconds, as if by a schedule. Time passes only when the test says so. */
const scene = async (context: TestContext, wallMs: number) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const clock = { wallMs };
  const told: { readonly isBlocking: boolean; readonly atMs: number }[] = [];
  const workers = { apply: async (): Promise<Outcome> => acknowledged };
  const layers = { pinned: new Map(), stored: new Map(), defaults: new Map() };
  const feeder = new PlanPublisher({
    settings: new LiveSettings(layers, () => assert.fail('nothing is stored here')),
    apply: ({ options }) => {
      told.push({ isBlocking: readPolicyPlan(options.policy).isBlocking, atMs: clock.wallMs });
      return workers.apply();
    },
    keep: () => undefined,
    readMachine: () => machine,
    apiUrls: () => ({ local: [], domain: [] }),
    productVersion: '1.2.3',
    policy: () => {
      const seconds = clock.wallMs / 1000;
      const untilSeconds = [1_000, 2_000].find((edge) => edge > seconds) ?? Number.POSITIVE_INFINITY;
      return { plan: { ...noPolicy, isBlocking: isBlockingAt(clock.wallMs) }, untilSeconds };
    },
    wantsBlocking: () => isBlockingAt(clock.wallMs),
    wallMs: () => clock.wallMs,
    log,
  });
  context.after(() => feeder.stop());
  await feeder.start();
  /** In steps of a millisecond, each to the end of what it sets off. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed++) {
      clock.wallMs++;
      context.mock.timers.tick(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, told, pass, feeder, workers };
};

describe('blocking that a schedule turns on and off', () => {
  const rows: readonly (readonly [string, number, number, readonly boolean[]])[] = [
    ['is applied when the clock was put forward into its window', 500_000, 1_500_000, [false, true]],
    ['is not applied when the clock was put forward over its whole window', 500_000, 2_500_000, [false]],
    ['is taken back when the clock was put back before its window', 1_500_000, 500_000, [true, false]],
    ['stays when the clock was put back within its window', 1_500_000, 1_400_000, [true]],
    ['is applied when the clock was put back into its window', 2_500_000, 1_500_000, [false, true]],
  ];
  for (const [what, from, to, expected] of rows)
    it(`${what}, within a second`, async (context) => {
      const { clock, told, pass } = await scene(context, from);
      clock.wallMs = to;
      await pass(1_001);
      assert.deepEqual(
        told.map(({ isBlocking }) => isBlocking),
        expected,
      );
    });

  it('is applied in the millisecond in which its window begins, and not before', async (context) => {
    const { told, pass } = await scene(context, 998_765);
    await pass(1_300);
    assert.deepEqual(told, [
      { isBlocking: false, atMs: 998_765 },
      { isBlocking: true, atMs: 1_000_000 },
    ]);
  });
});

describe('the blocking state that the API reports', () => {
  it('is on once every worker has acknowledged it', async (context) => {
    const { feeder, pass, workers } = await scene(context, 999_000);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    workers.apply = () => promise;
    await pass(1_000);
    assert.equal(feeder.isBlocking, false, 'the workers do not answer by it yet');
    resolve(acknowledged);
    await feeder.settled();
    assert.equal(feeder.isBlocking, true);
  });

  it('is on after a request at its time, without waiting for a timer', async (context) => {
    const { clock, feeder } = await scene(context, 999_000);
    clock.wallMs = 1_000_000;
    assert.equal(feeder.isBlocking, false);
    await feeder.upToDate();
    assert.equal(feeder.isBlocking, true);
  });

  it('is off as soon as workers were sent another plan', async (context) => {
    const { feeder, pass, workers } = await scene(context, 1_999_000);
    assert.equal(feeder.isBlocking, true);
    workers.apply = () => new Promise(() => undefined);
    await pass(1_000);
    assert.equal(feeder.isBlocking, false);
  });

  it('is on after a late worker has acknowledged the plan that was sent again', async (context) => {
    const { feeder, pass, workers, told } = await scene(context, 999_000);
    workers.apply = async () => ({ workers: 2, late: ['dns2'] });
    await pass(1_000);
    assert.deepEqual([feeder.isBlocking, told.length], [false, 2]);
    workers.apply = async () => acknowledged;
    await pass(1_000);
    assert.deepEqual([feeder.isBlocking, told.length], [true, 3]);
  });
});
