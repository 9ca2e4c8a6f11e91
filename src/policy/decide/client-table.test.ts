// One row of the table in docs/clients.md each: which client is found when more than one configured client
// matches, and when the more specific traits are not known.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ipv4Text } from '#wire';
import type { PolicyClient } from '../policy-client.ts';
import { ClientTable, namesOf, type ClientRow } from './client-table.ts';

function bytes(text: string): Uint8Array {
  const ipv4 = text.split('.').map(Number);
  if (ipv4.length === 4) return Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...ipv4]);
  const [front = '', back = ''] = text.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const gap = 8 - words(front).length - words(back).length;
  const all = [...words(front), ...Array<number>(gap).fill(0), ...words(back)];
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

let lastGroup = 0;
function row(more: Partial<ClientRow>): ClientRow {
  return {
    address: undefined,
    prefixBits: 128,
    names: [],
    tags: [],
    groups: [++lastGroup],
    isBlocking: true,
    ...more,
  };
}

const byInterface = row({ interface: 'eth0' });
const byWideRange = row({ address: bytes('10.0.0.0'), prefixBits: 96 + 8 });
const byRange = row({ address: bytes('10.0.0.0'), prefixBits: 96 + 24 });
const byLabel = row({ hostName: 'tablet' });
const byHostName = row({ hostName: 'tablet.lan' });
const byMac = row({ mac: '02:00:00:00:00:01' });
const byAddress = row({ address: bytes('10.0.0.5') });
const byName = row({ names: ['Phone'] });
const table = new ClientTable([
  byInterface,
  byWideRange,
  byRange,
  byLabel,
  byHostName,
  byMac,
  byAddress,
  byName,
]);

const unknownClient = { address: bytes('192.168.9.9'), name: undefined };
const device = {
  ...unknownClient,
  address: bytes('10.0.0.5'),
  name: 'PHONE',
  mac: '02:00:00:00:00:01',
  hostName: 'Tablet.LAN.',
  interface: 'eth0',
};

describe('the most specific client', () => {
  const cases: readonly (readonly [string, PolicyClient, ClientRow | undefined])[] = [
    ['1, the name it gives itself', device, byName],
    ['2, its address', { ...device, name: 'other' }, byAddress],
    ['3, its MAC address', { ...device, name: undefined, address: bytes('10.0.0.6') }, byMac],
    ['4, its host name', { ...device, name: undefined, address: bytes('10.0.0.6'), mac: 'x' }, byHostName],
    ['4, the first label of it', { ...unknownClient, hostName: 'tablet.example' }, byLabel],
    ['4, without a domain at all', { ...unknownClient, hostName: 'TABLET' }, byLabel],
    ['5, the longest range', { ...unknownClient, address: bytes('10.0.0.6'), interface: 'eth0' }, byRange],
    ['5, a shorter range', { ...unknownClient, address: bytes('10.9.0.6'), hostName: 'tv.lan' }, byWideRange],
    ['6, its interface', { ...unknownClient, interface: 'eth0' }, byInterface],
    [
      'none',
      { ...unknownClient, interface: 'eth1', hostName: 'lan.tablet', mac: '02:00:00:00:00:02' },
      undefined,
    ],
  ];
  for (const [title, client, expected] of cases) {
    it(title, () => assert.equal(table.find(client), expected));
  }

  it('of two entries for the same client the first counts', () => {
    const [first, second] = [row({ mac: 'm' }), row({ mac: 'm' })];
    assert.equal(new ClientTable([first, second]).find({ ...unknownClient, mac: 'm' }), first);
  });
});

describe('ranges and families', () => {
  const all4 = row({ address: bytes('0.0.0.0'), prefixBits: 96 });
  const all6 = row({ address: bytes('::'), prefixBits: 0 });
  const unique = row({ address: bytes('fd00::'), prefixBits: 8 });
  const cases: readonly (readonly [readonly ClientRow[], string, ClientRow | undefined])[] = [
    [[all6], '10.0.0.1', undefined],
    [[all6], 'fe80::1', all6],
    [[all4], 'fe80::1', undefined],
    [[all4], '10.0.0.1', all4],
    [[all6, all4, unique], '10.0.0.1', all4],
    [[all6, all4, unique], 'fd12::1', unique],
    [[all6, all4, unique], '2001:db8::1', all6],
    [[all6], '::1', all6],
  ];
  for (const [rows, address, expected] of cases) {
    it(`${address} is found among ${rows.length}`, () => {
      assert.equal(new ClientTable(rows).find({ address: bytes(address), name: undefined }), expected);
    });
  }

  it('an IPv4 address is read from its mapped form', () =>
    assert.equal(ipv4Text(bytes('10.0.0.5'), 12), '10.0.0.5'));
});

it('a rule may name a client by any of its identifiers', () => {
  const configured = row({ id: 7, names: ['Pad'], labels: ['The Tablet'] });
  assert.deepEqual(namesOf(device, configured), [
    'phone',
    '02:00:00:00:00:01',
    'tablet.lan',
    'tablet',
    ':eth0',
    '#7',
    'pad',
    'the tablet',
  ]);
  assert.deepEqual(namesOf(unknownClient, row({})), []);
});
