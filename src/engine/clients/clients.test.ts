// What is known of a client is found out once, and anew when policy or settings change; a name that a client
// gives itself tells it from others at the same address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from '#policy';
import { emptyPolicy } from '#policy';
import { Ask, usualOptions } from '../scenarios/network.ts';
import { Clients, Welcome } from './clients.ts';

const ignore = (): void => undefined;
const plain = (address: string): Ask => new Ask('udp', address, '192.168.1.2');

test('groups are asked for once per version of the policy', () => {
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

test('clients with names of their own share an address and no groups', () => {
  const groups = new Map([
    ['phone', 7],
    ['tablet', 8],
  ]);
  const policy: Policy = { ...emptyPolicy, groupsOf: ({ name }) => groups.get(name ?? '') ?? 1 };
  const clients = new Clients(policy, 1, ignore);
  clients.set(usualOptions);
  const found = ['phone', 'tablet', 'phone'].map((name) => {
    const ask = new Ask('tls', '192.168.1.9', '192.168.1.2');
    ask.clientName = name;
    clients.welcome(ask, { nowMs: 0 });
    return clients.groups;
  });
  clients.welcome(plain('192.168.1.9'), { nowMs: 0 });
  assert.deepEqual([...found, clients.groups], [7, 8, 7, 1]);
});
