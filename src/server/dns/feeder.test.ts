import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createLog } from '../log/log.ts';
import { LiveSettings } from '../settings/live-settings.ts';
import { DnsFeeder } from './feeder.ts';
import { noPolicy, readPolicyPlan } from './policy-plan.ts';

const log = createLog({
  thread: 'api',
  level: () => 'error',
  format: 'text',
  nowMs: () => 0,
  write: () => undefined,
});
const machine = { hostname: 'box', addresses: [], allAddresses: [], subnets: [], routers: [], resolvers: [] };

/** Blocking is on from 1000 to 2000 seconds, as if by a schedule. */
const scene = async (context: TestContext, wallMs: number) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const clock = { wallMs };
  const applied: boolean[] = [];
  const layers = { pinned: new Map(), stored: new Map(), defaults: new Map() };
  const feeder = new DnsFeeder({
    settings: new LiveSettings(layers, () => assert.fail('nothing is stored here')),
    apply: async ({ options }) => {
      applied.push(readPolicyPlan(options.policy).isBlocking);
      return { workers: 1, late: [] };
    },
    keep: () => undefined,
    readMachine: () => machine,
    apiUrls: () => ({ local: [], domain: [] }),
    productVersion: '1.2.3',
    policy: () => {
      const seconds = clock.wallMs / 1000;
      const isBlocking = seconds >= 1_000 && seconds < 2_000;
      const untilSeconds = [1_000, 2_000].find((edge) => edge > seconds) ?? Number.POSITIVE_INFINITY;
      return { plan: { ...noPolicy, isBlocking }, untilSeconds };
    },
    wallMs: () => clock.wallMs,
    log,
  });
  context.after(() => feeder.stop());
  await feeder.start();
  return { clock, applied, feeder };
};

/** The clock is looked at once a second. */
const aLookMs = 1_000;

describe('blocking that a schedule turns on and off', () => {
  const rows: readonly (readonly [string, number, number, readonly boolean[]])[] = [
    ['is applied when its time has come', 999_900, 1_000_000, [false, true]],
    ['is not applied a millisecond before its time', 999_000, 999_999, [false]],
    ['is applied when the clock was put forward into its window', 500_000, 1_500_000, [false, true]],
    ['is not applied when the clock was put forward over its whole window', 500_000, 2_500_000, [false]],
    ['is taken back when the clock was put back before its window', 1_500_000, 500_000, [true, false]],
    ['stays when the clock was put back within its window', 1_500_000, 1_400_000, [true]],
    [
      'is applied when the clock was put back into its window from after the last change',
      2_500_000,
      1_500_000,
      [false, true],
    ],
  ];
  for (const [what, from, to, expected] of rows)
    it(what, async (context) => {
      const { clock, applied, feeder } = await scene(context, from);
      clock.wallMs = to;
      context.mock.timers.tick(2 * aLookMs);
      await feeder.settled();
      assert.deepEqual(applied, expected);
    });
});
