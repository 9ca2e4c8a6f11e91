import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
  const clock = { wallMs };
  const told: boolean[] = [];
  const layers = { pinned: new Map(), stored: new Map(), defaults: new Map() };
  const feeder = new DnsFeeder({
    settings: new LiveSettings(layers, () => assert.fail('nothing is stored here')),
    apply: async ({ options }) => {
      told.push(readPolicyPlan(options.policy).isBlocking);
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
  return { clock, told };
};

/** Looked at once a second; twice as long where nothing shall come, and much longer where something does. */
const aLookMs = 2_000;
const looksMax = 15;

describe('what changes by itself', { concurrency: true }, () => {
  const rows: readonly (readonly [string, number, number, readonly boolean[]])[] = [
    ['at its time', 999_900, 1_000_000, [false, true]],
    ['not before it', 999_000, 999_999, [false]],
    ['after the clock was put forward', 500_000, 1_500_000, [false, true]],
    ['after it was put forward over all of it', 500_000, 2_500_000, [false]],
    ['after the clock was put back', 1_500_000, 500_000, [true, false]],
    ['after it was put back within it', 1_500_000, 1_400_000, [true]],
    ['after it was put back from where nothing changes any more', 2_500_000, 1_500_000, [false, true]],
  ];
  for (const [what, from, to, expected] of rows)
    it(what, async (context) => {
      const { clock, told } = await scene(context, from);
      clock.wallMs = to;
      for (let look = 0; look < looksMax && told.length < expected.length; look++) await sleep(aLookMs / 2);
      await sleep(aLookMs);
      assert.deepEqual(told, expected);
    });
});
