// Which devices are suggested as clients, which are not because they are configured already, and their names.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressText } from '#wire';
import { RowTable, type NameOutcome } from '#engine';
import { SeenClients } from '#history/thread';
import { DeviceDirectory, maxNamesMs } from './device-directory.ts';
import type { KnownNeighbour } from '#platform/neighbours';

function ipv4(last: number): Uint8Array {
  return Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last]);
}

function ipv6(last: number): Uint8Array {
  return Uint8Array.from([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
}

function macOf(number: number): string {
  return `02:00:00:00:00:0${number}`;
}

/** Lets lookups finish that take a few turns of the event loop. */
async function turns(): Promise<void> {
  for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve));
}

const neighbours: readonly KnownNeighbour[] = [
  { address: ipv4(1), mac: macOf(1) },
  { address: ipv6(1), mac: macOf(1) },
  { address: ipv4(2), mac: macOf(2) },
  { address: ipv4(9), mac: macOf(9) },
];

const names: Readonly<Record<string, string>> = {
  '10.0.0.1': 'pad.lan',
  'fd00::1': 'pad.lan',
  '10.0.0.3': 'tv.lan',
};

/** 10.0.0.1 and fd00::1 are one device; 10.0.0.3 is not a neighbour; 10.0.0.2 sent the last query. */
function scene(configured: readonly string[] = [], silent: readonly string[] = []) {
  const seen = new SeenClients();
  seen.begin((rows) => new RowTable(rows, 5));
  const note = (address: Uint8Array, timeMs: number): void => {
    const view = new DataView(address.buffer);
    seen.note(view.getInt32(0), view.getInt32(4), view.getInt32(8), view.getInt32(12), timeMs);
  };
  note(ipv4(1), 5_500);
  note(ipv6(1), 6_000);
  note(ipv4(3), 4_000);
  note(ipv4(2), 7_999);
  note(Uint8Array.from([...ipv4(0).slice(0, 12), 127, 0, 0, 1]), 8_000);
  note(Uint8Array.from([...new Uint8Array(15), 1]), 8_000);
  const devices = new DeviceDirectory({
    seen: { list: () => Promise.resolve(seen.list()) },
    openLinks: () => ({
      find: () => assert.fail('only the neighbour table may be read'),
      neighbours: () => neighbours,
    }),
    lookUp: (address, done) => {
      const text = addressText(address);
      const outcome: NameOutcome = { isFound: true, name: names[text] };
      if (!silent.includes(text)) setImmediate(() => done(outcome));
    },
    nowMs: () => 0,
  });
  const suggest = async (more: { readonly count?: number; readonly isIpv4Only?: boolean } = {}) =>
    devices.suggestions({
      count: 50,
      isIpv4Only: false,
      isConfigured: (text) => configured.includes(text),
      ...more,
    });
  return { devices, suggest };
}

const pad = {
  hwaddr: macOf(1),
  macVendor: null,
  lastQuery: 6,
  addresses: 'fd00::1,10.0.0.1',
  names: 'pad.lan',
};
const tv = { hwaddr: 'ip-10.0.0.3', macVendor: null, lastQuery: 4, addresses: '10.0.0.3', names: 'tv.lan' };
const box = { hwaddr: macOf(2), macVendor: null, lastQuery: 7, addresses: '10.0.0.2', names: null };

describe('suggestions', () => {
  const cases: readonly (readonly [string, readonly string[], readonly object[]])[] = [
    ['contain all devices that sent queries, the latest first', [], [box, pad, tv]],
    ['omit devices configured by MAC address', [macOf(1)], [box, tv]],
    ['omit devices configured by their only address', ['10.0.0.2', '10.0.0.3'], [pad]],
    [
      'omit configured addresses of a device',
      ['fd00::1'],
      [box, { ...pad, lastQuery: 5, addresses: '10.0.0.1' }, tv],
    ],
    ['omit devices configured by host name', ['pad.lan', 'tv'], [box]],
    ['contain devices in a configured range', ['10.0.0.0/24'], [box, pad, tv]],
  ];
  for (const [title, configured, expected] of cases)
    it(title, async () => assert.deepEqual(await scene(configured).suggest(), expected));

  it('are limited by count', async () => {
    assert.deepEqual(await scene().suggest({ count: 2 }), [box, pad]);
    assert.deepEqual(await scene().suggest({ count: 0 }), []);
  });

  it('contain only IPv4 addresses with isIpv4Only', async () => {
    const only = { ...pad, lastQuery: 5, addresses: '10.0.0.1' };
    assert.deepEqual(await scene().suggest({ isIpv4Only: true }), [box, only, tv]);
  });

  it(`wait ${maxNamesMs} ms for a name, and then omit it`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isDone = false;
    const suggested = scene([], ['10.0.0.3'])
      .suggest()
      .finally(() => (isDone = true));
    await turns();
    t.mock.timers.tick(maxNamesMs - 1);
    await turns();
    assert.equal(isDone, false);
    t.mock.timers.tick(1);
    assert.deepEqual((await suggested)[2], { ...tv, names: null });
  });
});

describe('the name of a configured client', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['10.0.0.1', 'pad.lan'],
    ['fd00::1', 'pad.lan'],
    [macOf(1), 'pad.lan'],
    ['10.0.0.2', ''],
    [macOf(7), ''],
    ['10.0.0.0/24', ''],
    [':eth0', ''],
    ['pad.lan', ''],
  ];
  for (const [client, expected] of cases)
    it(`of ${client} is "${expected}" after the lookup`, async () => {
      const { devices } = scene();
      assert.equal(devices.nameOf(client), '');
      await new Promise((done) => setImmediate(done));
      assert.equal(devices.nameOf(client), expected);
    });
});
