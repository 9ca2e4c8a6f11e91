import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openStorage } from '../database/storage.ts';
import { LiveSettings } from './live-settings.ts';
import { elementPath, settingsView } from './settings-view.ts';
import type { Pinned } from './sources.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-live-'));
const storage = await openStorage({ dataDir: dir, nowMs: () => 1_000, onDamaged: assert.fail });
if (typeof storage === 'string') assert.fail(storage);
after(async () => {
  await storage.close();
  rmSync(dir, { recursive: true });
});

const pinned = new Map<string, Pinned>([['web.redirect', { value: true, source: 'environment' }]]);
const fresh = () => {
  const layers = { pinned, stored: storage.read.settings, defaults: new Map() };
  return new LiveSettings(layers, storage.change);
};

describe('review', () => {
  const cases: readonly (readonly [what: string, wanted: Record<string, unknown>, outcome: unknown])[] = [
    [
      'returns values that differ',
      { 'dns.blockTTL': 5, 'dns.blocking.mode': 'nx' },
      { 'dns.blockTTL': 5, 'dns.blocking.mode': 'NX' },
    ],
    ['leaves out unchanged values', { 'dns.blockTTL': 2, 'web.hosts': [] }, {}],
    ['leaves out masks of secrets', { 'auth.password': '********' }, {}],
    ['accepts an unchanged pinned value', { 'web.redirect': true }, {}],
    ['refuses to change a pinned value', { 'web.redirect': false }, 'settingPinned'],
    [
      'refuses a setting that only the file and the environment can set',
      { 'storage.dir': '/x' },
      'settingPinned',
    ],
    ['refuses wrong types', { 'dns.blockTTL': '5' }, 'settingInvalid'],
    ['refuses wrong values', { 'dns.blockTTL': -1 }, 'settingRefused'],
    ['refuses all values when one is wrong', { 'dns.blockTTL': 5, 'dns.workers': 'x' }, 'settingInvalid'],
  ];
  for (const [what, wanted, outcome] of cases) {
    it(what, () => {
      const reviewed = fresh().review(new Map(Object.entries(wanted)));
      assert.deepEqual('failure' in reviewed ? reviewed.failure : Object.fromEntries(reviewed), outcome);
    });
  }

  it('names the key, the reason and what is allowed', () => {
    const reviewed = fresh().review(new Map([['dns.hosts', ['nonsense']]]));
    assert.ok('failure' in reviewed);
    assert.match(JSON.stringify(reviewed.hint), /^"dns\.hosts\[0\]: neither a valid IPv4.*Allowed: IP host/);
  });
});

describe('store', () => {
  it('changes the current value, calls subscribers, and is still stored after a restart', async () => {
    const settings = fresh();
    const events: string[][] = [];
    settings.subscribe((changed) => events.push([...changed]));
    const stored = await settings.store('test', new Map([['dns.blockTTL', 7]]));
    assert.ok(!('failure' in stored));
    assert.equal(settings.current.dns.blockTTL, 7);
    assert.deepEqual(events, [['dns.blockTTL']]);
    const again = await openStorage({ dataDir: dir, nowMs: () => 1_000, onDamaged: assert.fail });
    assert.ok(typeof again !== 'string');
    assert.equal(again.read.settings.get('dns.blockTTL'), 7);
    await again.close();
  });
});

describe('settingsView', () => {
  it('masks secrets whether they are set or not', () => {
    const { resolved } = fresh();
    for (const detailed of [true, false]) {
      const text = JSON.stringify(settingsView(resolved, 'auth', detailed));
      assert.ok(text.includes('********'));
    }
  });

  it('narrows to an element and keeps the nesting', () => {
    assert.deepEqual(settingsView(fresh().resolved, elementPath('dns/rateLimit/'), false), {
      dns: { rateLimit: { count: 1000, interval: 60, exempt: [] } },
    });
    assert.deepEqual(settingsView(fresh().resolved, elementPath('no/such'), false), {});
  });

  it('describes the source of a value', () => {
    const view = JSON.parse(JSON.stringify(settingsView(fresh().resolved, 'web.redirect', true)));
    assert.equal(view.web.redirect.source, 'environment');
    assert.equal(view.web.redirect.flags.env_var, true);
    assert.equal(view.web.redirect.modified, true);
  });
});
