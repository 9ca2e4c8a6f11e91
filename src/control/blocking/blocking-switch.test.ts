import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../test/running/waiting.ts';
import { createLog } from '#platform/log';
import { type Change, openStorage, type Secrets } from '#store/database';
import { BlockingSwitch } from './blocking-switch.ts';
import { LiveSettings, type Pinned } from '#store/settings';

const log = createLog({
  thread: 'api',
  level: () => 'error',
  format: 'text',
  nowMs: () => 0,
  write: () => undefined,
});

async function scene(context: TestContext, pinned = new Map<string, Pinned>()) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-blocking-'));
  const storage = await openStorage({ dataDir, nowMs: () => 0, onDamaged: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  const clock = { wallMs: 1_000_000, steadyMs: 0 };
  const pass = (ms: number): void => {
    clock.wallMs += ms;
    clock.steadyMs += ms;
  };
  const disk = { isFull: false };
  const layers = { pinned, stored: storage.read.settings, defaults: new Map() };
  const order: string[] = [];
  const change: Change = async (actor, work) => {
    if (disk.isFull) return { ok: false, trouble: 'full', problem: 'No room.' };
    order.push('state');
    return storage.change(actor, work);
  };
  const settings = new LiveSettings(layers, change);
  const secrets: Secrets = {
    get: storage.secrets.get,
    set: async (name, value) => {
      order.push(value === undefined ? 'no timer' : 'timer');
      return (await storage.secrets.set(name, value)) && !disk.isFull;
    },
  };
  const open = () =>
    new BlockingSwitch({
      settings,
      secrets,
      wallMs: () => clock.wallMs,
      steadyMs: () => clock.steadyMs,
      log,
    });
  const blocking = open();
  context.after(async () => {
    blocking.close();
    await storage.close();
    rmSync(dataDir, { recursive: true });
  });
  return { clock, pass, disk, order, settings, blocking, open };
}

describe('the timer of the blocking switch', () => {
  it('is published together with the state', async (context) => {
    const { pass, settings, blocking } = await scene(context);
    const states: unknown[] = [];
    blocking.subscribe(() => states.push(blocking.state()));
    await blocking.set('me', false, 60);
    pass(60_000);
    await blocking.checkExpiry();
    await settings.store('you', new Map([['dns.blocking.active', false]]));
    await until('the third state', () => (states.length >= 3 ? true : undefined));
    assert.deepEqual(states, [
      { blocking: false, timer: 60 },
      { blocking: true, timer: null },
      { blocking: false, timer: null },
    ]);
  });

  it('switches blocking back when it expires, and not before', async (context) => {
    const { pass, blocking } = await scene(context);
    await blocking.set('me', false, 60);
    pass(59_999);
    await blocking.checkExpiry();
    assert.deepEqual(blocking.state(), { blocking: false, timer: 1 });
    pass(1);
    await blocking.checkExpiry();
    assert.deepEqual(blocking.state(), { blocking: true, timer: null });
  });

  const expiries: readonly (readonly [was: boolean, set: boolean, then: boolean])[] = [
    [true, false, true],
    [false, true, false],
    [true, true, true],
    [false, false, true],
  ];
  for (const [was, set, then] of expiries)
    it(`that sets blocking from ${was} to ${set} leaves ${then} when it expires`, async (context) => {
      const { pass, blocking } = await scene(context);
      await blocking.set('me', was, undefined);
      await blocking.set('me', set, 60);
      assert.deepEqual(blocking.state(), { blocking: set, timer: 60 });
      pass(60_000);
      await blocking.checkExpiry();
      assert.deepEqual(blocking.state(), { blocking: then, timer: null });
    });

  it('is cancelled when the setting is changed', async (context) => {
    const { pass, settings, blocking } = await scene(context);
    await blocking.set('me', false, 60);
    await settings.store('you', new Map([['dns.blocking.active', true]]));
    assert.equal(blocking.state().timer, null);
    pass(60_000);
    await blocking.checkExpiry();
    assert.equal(blocking.state().blocking, true);
  });

  it('that fires twice switches once', async (context) => {
    const { pass, blocking, open } = await scene(context);
    await blocking.set('me', false, 1);
    pass(1_000);
    const other = open();
    await Promise.all([blocking.checkExpiry(), other.checkExpiry()]);
    other.close();
    assert.equal(blocking.state().blocking, true);
  });

  it('is kept when another change is made at the same time', async (context) => {
    const { blocking } = await scene(context);
    const failures = await Promise.all([
      blocking.set('me', true, undefined),
      blocking.set('you', false, 300),
    ]);
    assert.deepEqual([failures, blocking.state()], [[undefined, undefined], { blocking: false, timer: 300 }]);
  });

  it('is kept when it is set while an earlier one expires', async (context) => {
    const { blocking, pass } = await scene(context);
    await blocking.set('me', false, 60);
    pass(60_000);
    await Promise.all([blocking.checkExpiry(), blocking.set('you', false, 300)]);
    assert.deepEqual(blocking.state(), { blocking: false, timer: 300 });
  });

  it('is stored before the new state, and removed after the next one', async (context) => {
    const { blocking, order } = await scene(context);
    await blocking.set('me', false, 60);
    await blocking.set('me', true, undefined);
    assert.deepEqual(order, ['timer', 'state', 'state', 'no timer']);
  });

  it('expires on time when the disk is not writable, and stores the state later', async (context) => {
    const { pass, disk, blocking, settings } = await scene(context);
    await blocking.set('me', false, 60);
    let events = 0;
    blocking.subscribe(() => events++);
    disk.isFull = true;
    pass(60_000);
    await blocking.checkExpiry();
    await blocking.checkExpiry();
    assert.deepEqual(
      [blocking.state(), events, settings.current.dns.blocking.active],
      [{ blocking: true, timer: null }, 1, false],
    );
    disk.isFull = false;
    await blocking.checkExpiry();
    assert.deepEqual([blocking.state().blocking, settings.current.dns.blocking.active], [true, true]);
  });

  it('is not set when the change cannot be stored', async (context) => {
    const { disk, blocking } = await scene(context);
    disk.isFull = true;
    assert.equal((await blocking.set('me', false, 60))?.failure, 'databaseAway');
    assert.deepEqual(blocking.state(), { blocking: true, timer: null });
  });

  it('does not take longer when the clock is set back', async (context) => {
    const { pass, clock, blocking } = await scene(context);
    await blocking.set('me', false, 60);
    clock.wallMs -= 3_600_000;
    pass(60_000);
    await blocking.checkExpiry();
    assert.deepEqual(blocking.state(), { blocking: true, timer: null });
  });

  it('is refused where the state is pinned', async (context) => {
    const pinned = new Map<string, Pinned>([['dns.blocking.active', { value: true, source: 'file' }]]);
    const { blocking } = await scene(context, pinned);
    const failure = await blocking.set('me', true, 60);
    assert.equal(failure?.failure, 'settingPinned');
  });
});
