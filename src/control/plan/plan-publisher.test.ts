import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createLog } from '#platform/log';
import { LiveSettings } from '#store/settings';
import { PlanPublisher, type PlanPublisherParts } from './plan-publisher.ts';
import { noPolicy, readPolicyPlan } from './policy-plan.ts';

const log = createLog({
  thread: 'api',
  level: () => 'error',
  format: 'text',
  nowMs: () => 0,
  write: () => undefined,
});
const machine = { hostname: 'box', addresses: [], allAddresses: [], subnets: [], routers: [], resolvers: [] };

type Outcome = Awaited<ReturnType<PlanPublisherParts['apply']>>;

const acknowledged: Outcome = { workers: 1, late: [] };
function isBlockingAt(wallMs: number): boolean {
  return wallMs >= 1_000_000 && wallMs < 2_000_000;
}

/** Blocking is on from second 1000 to 2000, as if by a schedule. Only the test advances the time. */
async function scene(context: TestContext, wallMs: number) {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const clock = { wallMs };
  const sent: { readonly isBlocking: boolean; readonly atMs: number }[] = [];
  const workers = { apply: async (): Promise<Outcome> => acknowledged };
  const layers = { pinned: new Map(), stored: new Map(), defaults: new Map() };
  const publisher = new PlanPublisher({
    settings: new LiveSettings(layers, () => assert.fail('nothing is stored here')),
    apply: ({ options }) => {
      sent.push({ isBlocking: readPolicyPlan(options.policy).isBlocking, atMs: clock.wallMs });
      return workers.apply();
    },
    store: () => undefined,
    readMachine: () => machine,
    foreignAddresses: () => [],
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
  context.after(() => publisher.stop());
  await publisher.start();
  /** Advances by one millisecond at a time, and runs what each step triggers. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed++) {
      clock.wallMs++;
      context.mock.timers.tick(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, sent, pass, publisher, workers };
}

describe('blocking that a schedule turns on and off', () => {
  const rows: readonly (readonly [string, number, number, readonly boolean[]])[] = [
    ['is turned on when the clock is set forward into its window', 500_000, 1_500_000, [false, true]],
    ['is not turned on when the clock is set forward past its window', 500_000, 2_500_000, [false]],
    ['is turned off when the clock is set back to before its window', 1_500_000, 500_000, [true, false]],
    ['stays on when the clock is set back within its window', 1_500_000, 1_400_000, [true]],
    ['is turned on when the clock is set back into its window', 2_500_000, 1_500_000, [false, true]],
  ];
  for (const [what, from, to, expected] of rows)
    it(`${what}, within a second`, async (context) => {
      const { clock, sent, pass } = await scene(context, from);
      clock.wallMs = to;
      await pass(1_001);
      assert.deepEqual(
        sent.map(({ isBlocking }) => isBlocking),
        expected,
      );
    });

  it('is turned on in the millisecond in which its window begins, and not before', async (context) => {
    const { sent, pass } = await scene(context, 998_765);
    await pass(1_300);
    assert.deepEqual(sent, [
      { isBlocking: false, atMs: 998_765 },
      { isBlocking: true, atMs: 1_000_000 },
    ]);
  });
});

describe('the blocking state that the API reports', () => {
  it('is on once every worker has acknowledged it', async (context) => {
    const { publisher, pass, workers } = await scene(context, 999_000);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    workers.apply = () => promise;
    await pass(1_000);
    assert.equal(publisher.isBlocking, false, 'the workers do not use it yet');
    resolve(acknowledged);
    await publisher.settled();
    assert.equal(publisher.isBlocking, true);
  });

  it('is on after upToDate when its window has begun, without waiting for a timer', async (context) => {
    const { clock, publisher } = await scene(context, 999_000);
    clock.wallMs = 1_000_000;
    assert.equal(publisher.isBlocking, false);
    await publisher.upToDate();
    assert.equal(publisher.isBlocking, true);
  });

  it('is off as soon as a plan that does not block is sent', async (context) => {
    const { publisher, pass, workers } = await scene(context, 1_999_000);
    assert.equal(publisher.isBlocking, true);
    workers.apply = () => new Promise(() => undefined);
    await pass(1_000);
    assert.equal(publisher.isBlocking, false);
  });

  it('is on after a late worker has acknowledged the plan that was sent again', async (context) => {
    const { publisher, pass, workers, sent } = await scene(context, 999_000);
    workers.apply = async () => ({ workers: 2, late: ['dns2'] });
    await pass(1_000);
    assert.deepEqual([publisher.isBlocking, sent.length], [false, 2]);
    workers.apply = async () => acknowledged;
    await pass(1_000);
    assert.deepEqual([publisher.isBlocking, sent.length], [true, 3]);
  });
});
