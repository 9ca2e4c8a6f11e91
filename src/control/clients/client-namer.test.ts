// Client names are published at once when they are known, later when they have to be looked up, and in small
// batches when there are many.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ClientNamer } from './client-namer.ts';
import type { NamedClient } from '#history/thread';
import { DeviceDirectory } from './device-directory.ts';
import type { LookUpName } from './host-names.ts';

function ipv4(last: number): Uint8Array {
  return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 168, 1, last);
}

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const published: NamedClient[] = [];
  const lookups: { readonly last: number; readonly done: Parameters<LookUpName>[1] }[] = [];
  const devices = new DeviceDirectory({
    seen: { list: () => Promise.resolve([]) },
    openLinks: () => assert.fail('neighbours were queried'),
    lookUp: (address, done) => void lookups.push({ last: address.at(-1) ?? 0, done }),
    onName: (address, name) => namer.publishName(address, name),
    nowMs: () => nowMs,
  });
  const namer = new ClientNamer({ devices, publish: (names) => void published.push(...names) });
  const pass = (ms: number): void => {
    nowMs += ms;
    t.mock.timers.tick(ms);
  };
  return { namer, published, lookups, pass };
}

const hourMs = 3_600_000;

test('a name is published when it is found, already known, changed or removed', (t) => {
  const { namer, published, lookups, pass } = scene(t);
  namer.enqueue([ipv4(5)]);
  assert.deepEqual(published, []);
  lookups.shift()?.done({ isFound: true, name: 'tablet.lan' });
  assert.deepEqual(published.splice(0), [{ address: '192.168.1.5', name: 'tablet.lan' }]);
  namer.enqueue([ipv4(5)]);
  assert.deepEqual(published.splice(0), [{ address: '192.168.1.5', name: 'tablet.lan' }]);
  for (const name of ['phone.lan', undefined]) {
    pass(hourMs + 1);
    namer.enqueue([ipv4(5)]);
    published.length = 0;
    lookups.shift()?.done({ isFound: true, name });
    assert.deepEqual(published.splice(0), [{ address: '192.168.1.5', name: name ?? '' }]);
  }
  assert.equal(lookups.length, 0);
});

test('many addresses at once are looked up in batches, each address once', (t) => {
  const { namer, published, lookups, pass } = scene(t);
  namer.enqueue(Array.from({ length: 200 }, (_, last) => ipv4(last)));
  let most = 0;
  for (let second = 0; second < 10; second++) {
    most = Math.max(most, lookups.length);
    for (const { last, done } of lookups.splice(0)) done({ isFound: true, name: `device${last}.lan` });
    pass(1_000);
  }
  assert.ok(most < 200);
  assert.deepEqual(new Set(published.map(({ name }) => name)).size, 200);
  assert.equal(published.length, 200);
});
