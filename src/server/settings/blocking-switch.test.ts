import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createLog } from '../log/log.ts';
import { openStorage } from '../storage/storage.ts';
import { BlockingSwitch } from './blocking-switch.ts';
import { LiveSettings } from './live-settings.ts';
import type { Pinned } from './sources.ts';

const log = createLog({
  thread: 'api',
  level: () => 'error',
  format: 'text',
  nowMs: () => 0,
  write: () => undefined,
});

const scene = async (context: TestContext, pinned = new Map<string, Pinned>()) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-blocking-'));
  const storage = await openStorage({ dataDir, nowMs: () => 0, onBroken: assert.fail });
  if (typeof storage === 'string') assert.fail(storage);
  const clock = { wallMs: 1_000_000 };
  const layers = { pinned, stored: storage.read.settings, defaults: new Map() };
  const settings = new LiveSettings(layers, storage.change);
  const open = () => new BlockingSwitch(settings, storage.secrets, () => clock.wallMs, log);
  const blocking = open();
  context.after(async () => {
    blocking.close();
    await storage.close();
    rmSync(dataDir, { recursive: true });
  });
  return { clock, settings, blocking, open };
};

describe('the timer of the blocking switch', () => {
  it('is told to whoever listens, together with the state', async (context) => {
    const { clock, settings, blocking } = await scene(context);
    const states: unknown[] = [];
    blocking.subscribe(() => states.push(blocking.state()));
    await blocking.set('me', false, 60);
    clock.wallMs += 60_000;
    await blocking.look();
    await settings.store('somebody', new Map([['dns.blocking.active', false]]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(states, [
      { blocking: false, timer: 60 },
      { blocking: true, timer: null },
      { blocking: false, timer: null },
    ]);
  });

  it('turns the state back at its time, and not before', async (context) => {
    const { clock, blocking } = await scene(context);
    await blocking.set('me', false, 60);
    clock.wallMs += 59_999;
    await blocking.look();
    assert.deepEqual(blocking.state(), { blocking: false, timer: 1 });
    clock.wallMs += 1;
    await blocking.look();
    assert.deepEqual(blocking.state(), { blocking: true, timer: null });
  });

  const turns: readonly (readonly [was: boolean, set: boolean, then: boolean])[] = [
    [true, false, true],
    [false, true, false],
    [true, true, true],
    [false, false, true],
  ];
  for (const [was, set, then] of turns)
    it(`set with ${set} on ${was} ends in ${then}`, async (context) => {
      const { clock, blocking } = await scene(context);
      await blocking.set('me', was, undefined);
      await blocking.set('me', set, 60);
      assert.deepEqual(blocking.state(), { blocking: set, timer: 60 });
      clock.wallMs += 60_000;
      await blocking.look();
      assert.deepEqual(blocking.state(), { blocking: then, timer: null });
    });

  it('is forgotten when somebody changes the state by the settings', async (context) => {
    const { clock, settings, blocking } = await scene(context);
    await blocking.set('me', false, 60);
    await settings.store('somebody', new Map([['dns.blocking.active', true]]));
    assert.equal(blocking.state().timer, null);
    clock.wallMs += 60_000;
    await blocking.look();
    assert.equal(blocking.state().blocking, true);
  });

  it('that fires twice turns once', async (context) => {
    const { clock, blocking, open } = await scene(context);
    await blocking.set('me', false, 1);
    clock.wallMs += 1_000;
    const other = open();
    await Promise.all([blocking.look(), other.look()]);
    other.close();
    assert.equal(blocking.state().blocking, true);
  });

  it('is refused where the state is pinned', async (context) => {
    const pinned = new Map<string, Pinned>([['dns.blocking.active', { value: true, source: 'file' }]]);
    const { blocking } = await scene(context, pinned);
    const failure = await blocking.set('me', true, 60);
    assert.equal(failure?.failure, 'settingPinned');
  });
});
