// What is known of a client is found out once, and anew when policy or settings change; a name that a client
// gives itself tells it from others at the same address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientPrivacy, emptyPolicy, type Policy } from '#policy';
import { SentQuery, usualOptions } from '#testing/engine/network';
import { Clients, Welcome } from './clients.ts';
import type { FoundTraits } from './identity.ts';

const ignore = (): void => undefined;
const plain = (address: string): SentQuery => new SentQuery('udp', address, '192.168.1.2');

test('groups are looked up once per version of the policy', () => {
  let asked = 0;
  const policy = { ...emptyPolicy, version: 1, groupsOf: () => ++asked };
  const clients = new Clients(policy, 1, ignore);
  clients.set(usualOptions);
  const groupOf = (): number => {
    assert.equal(clients.welcome(plain('192.168.1.9'), { nowMs: 0 }), Welcome.answered);
    return clients.groups;
  };
  assert.deepEqual([groupOf(), groupOf()], [1, 1]);
  policy.version = 2;
  assert.deepEqual([groupOf(), groupOf()], [2, 2]);
  clients.usePolicy({ ...policy, groupsOf: () => 40 });
  assert.deepEqual([groupOf(), groupOf()], [40, 40]);
  clients.set({ ...usualOptions, access: { open: false, subnets: ['8.8.8.0/24'] } });
  assert.equal(clients.welcome(plain('8.8.8.8'), { nowMs: 0 }), Welcome.answered);
  clients.set(usualOptions);
  assert.equal(clients.welcome(plain('8.8.8.8'), { nowMs: 0 }), Welcome.stranger);
});

test('the privacy level is that of the configured client, by MAC address or by name', () => {
  const row = { address: undefined, prefixBits: 0, tags: [], groups: [], isBlocking: true };
  const rows = [
    { ...row, names: [], mac: '02:00:00:00:00:01', privacy: 2 },
    { ...row, names: ['phone'], privacy: 3 },
    { ...row, names: ['tablet'] },
  ];
  let found: FoundTraits = { isSettled: true };
  const clients = new Clients(emptyPolicy, 1, ignore, () => found);
  clients.set(usualOptions);
  const levelOf = (name?: string): number => {
    const ask = new SentQuery('tcp', '192.168.1.9', '192.168.1.2');
    ask.clientName = name;
    clients.welcome(ask, { nowMs: 0 });
    return clients.privacy;
  };
  assert.deepEqual([levelOf(), levelOf('phone')], [0, 0]);
  clients.usePolicy(emptyPolicy, new ClientPrivacy(rows, 1));
  assert.deepEqual([levelOf(), levelOf('phone'), levelOf('tablet'), levelOf()], [1, 3, 0, 1]);
  found = { isSettled: true, mac: '02:00:00:00:00:01' };
  clients.usePolicy(emptyPolicy, new ClientPrivacy(rows, 1));
  assert.deepEqual([levelOf(), levelOf('phone')], [2, 3]);
  clients.usePolicy(emptyPolicy);
  assert.equal(levelOf(), 0);
});

test('two named clients at one address have their own groups', () => {
  const groups = new Map([
    ['phone', 7],
    ['tablet', 8],
  ]);
  const policy: Policy = { ...emptyPolicy, groupsOf: ({ name }) => groups.get(name ?? '') ?? 1 };
  const clients = new Clients(policy, 1, ignore);
  clients.set(usualOptions);
  const found = ['phone', 'tablet', 'phone'].map((name) => {
    const ask = new SentQuery('tcp', '192.168.1.9', '192.168.1.2');
    ask.clientName = name;
    clients.welcome(ask, { nowMs: 0 });
    return clients.groups;
  });
  clients.welcome(plain('192.168.1.9'), { nowMs: 0 });
  assert.deepEqual([...found, clients.groups], [7, 8, 7, 1]);
});

/** Clients whose groups are 1 without a MAC address and the last digit of it with one. */
function scene() {
  const policy: Policy = { ...emptyPolicy, groupsOf: ({ mac }) => Number(mac?.at(-1) ?? 1) };
  const world: { found: FoundTraits; asked: number } = { found: { isSettled: true }, asked: 0 };
  const identify = (): FoundTraits => {
    world.asked++;
    return world.found;
  };
  const clients = new Clients(policy, 1, ignore, identify);
  clients.set(usualOptions);
  const groupsAt = (nowMs: number, address = '192.168.1.9'): number => {
    clients.beginBatch({ nowMs });
    assert.equal(clients.welcome(plain(address), { nowMs }), Welcome.answered);
    return clients.groups;
  };
  return { world, clients, groupsAt };
}

test('the MAC address is known at the first query and refreshed later', () => {
  const { world, groupsAt } = scene();
  world.found = { mac: '02:00:00:00:00:07', isSettled: true };
  assert.deepEqual([groupsAt(0), groupsAt(10_000), groupsAt(59_000)], [7, 7, 7]);
  assert.equal(world.asked, 1);
  world.found = { mac: '02:00:00:00:00:08', isSettled: true };
  assert.deepEqual([groupsAt(59_900), groupsAt(60_000), groupsAt(61_000)], [7, 8, 8]);
  assert.equal(world.asked, 2);
});

test('an unknown client is looked up again for two seconds, then once a minute', () => {
  const { world, groupsAt } = scene();
  world.found = { isSettled: false };
  for (let nowMs = 0; nowMs < 10_000; nowMs += 12.5) assert.equal(groupsAt(nowMs), 1);
  assert.equal(world.asked, 81);
  world.found = { mac: '02:00:00:00:00:07', isSettled: true };
  assert.deepEqual([groupsAt(59_000), groupsAt(60_000)], [1, 7]);
});

test('groups change as soon as the client is identified', () => {
  const { world, groupsAt } = scene();
  world.found = { isSettled: false };
  assert.equal(groupsAt(0), 1);
  world.found = { mac: '02:00:00:00:00:07', isSettled: true };
  assert.deepEqual([groupsAt(24), groupsAt(25), groupsAt(9000)], [1, 7, 7]);
  assert.equal(world.asked, 2);
});

test('one address is forgotten when more becomes known about it', () => {
  const { world, clients, groupsAt } = scene();
  assert.deepEqual([groupsAt(0), groupsAt(0, 'fd00::9')], [1, 1]);
  world.found = { mac: '02:00:00:00:00:07', isSettled: true };
  clients.forgetAddress(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 168, 1, 9));
  clients.forgetAddress(new Uint8Array(16));
  assert.deepEqual([groupsAt(10), groupsAt(10, 'fd00::9')], [7, 1]);
  assert.equal(world.asked, 3);
});

test('clients from outside are not looked up', () => {
  const { world, clients } = scene();
  assert.equal(clients.welcome(plain('8.8.8.8'), { nowMs: 0 }), Welcome.stranger);
  assert.equal(world.asked, 0);
});
