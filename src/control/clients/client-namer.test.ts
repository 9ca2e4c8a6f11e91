// Who asks is named: at once where the name is known, later where it has to be looked up, and one after the
// other where too many come at once.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ClientNamer } from './client-namer.ts';
import type { NamedClient } from '#history/thread';
import { DeviceDirectory } from './device-directory.ts';
import type { LookUpName } from './host-names.ts';

const ipv4 = (last: number): Uint8Array =>
  Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 168, 1, last);

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const told: NamedClient[] = [];
  const asked: { readonly last: number; readonly done: Parameters<LookUpName>[1] }[] = [];
  const devices = new DeviceDirectory({
    seen: { list: () => Promise.resolve([]) },
    openLinks: () => assert.fail('nobody asks for neighbours'),
    lookUp: (address, done) => void asked.push({ last: address.at(-1) ?? 0, done }),
    onName: (address, name) => namer.heard(address, name),
    nowMs: () => nowMs,
  });
  const namer = new ClientNamer({ devices, tell: (names) => void told.push(...names) });
  const pass = (ms: number): void => {
    nowMs += ms;
    t.mock.timers.tick(ms);
  };
  return { namer, told, asked, pass };
}

const hourMs = 3_600_000;

test('a name is reported when it is found, known, changed or gone', (t) => {
  const { namer, told, asked, pass } = scene(t);
  namer.meet([ipv4(5)]);
  assert.deepEqual(told, []);
  asked.shift()?.done({ isFound: true, name: 'tablet.lan' });
  assert.deepEqual(told.splice(0), [{ address: '192.168.1.5', name: 'tablet.lan' }]);
  namer.meet([ipv4(5)]);
  assert.deepEqual(told.splice(0), [{ address: '192.168.1.5', name: 'tablet.lan' }]);
  for (const name of ['phone.lan', undefined]) {
    pass(hourMs + 1);
    namer.meet([ipv4(5)]);
    told.length = 0;
    asked.shift()?.done({ isFound: true, name });
    assert.deepEqual(told.splice(0), [{ address: '192.168.1.5', name: name ?? '' }]);
  }
  assert.equal(asked.length, 0);
});

test('many addresses at once are looked up one after the other, each once', (t) => {
  const { namer, told, asked, pass } = scene(t);
  namer.meet(Array.from({ length: 200 }, (_, last) => ipv4(last)));
  let most = 0;
  for (let second = 0; second < 10; second++) {
    most = Math.max(most, asked.length);
    for (const { last, done } of asked.splice(0)) done({ isFound: true, name: `device${last}.lan` });
    pass(1_000);
  }
  assert.ok(most < 200);
  assert.deepEqual(new Set(told.map(({ name }) => name)).size, 200);
  assert.equal(told.length, 200);
});
