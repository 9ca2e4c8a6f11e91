import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collection } from '#store/database';
import type { Group, StoredClient } from '#store/database/entities';
import { UnprotectedClients } from './unprotected-clients.ts';

const dates = { date_added: 0, date_modified: 0 };
const group = { comment: null, schedules: [], privacy: 0, ...dates };
const groups: readonly Group[] = [
  { ...group, id: 0, name: 'Default', enabled: true },
  { ...group, id: 1, name: 'Guests', enabled: false },
];

function clientOf(client: string, of: Partial<StoredClient>): StoredClient {
  return { id: 1, client, comment: null, groups: [], group_expiry: {}, ...dates, ...of };
}

function scene(clients: readonly StoredClient[]) {
  const shown: string[] = [];
  const state = { clients, nowSeconds: 1000 };
  const unprotected = new UnprotectedClients({
    read: {
      groups: new Collection('groups', ({ name }) => name, groups),
      get clients() {
        return new Collection('clients', ({ client }) => client, state.clients);
      },
    },
    messages: {
      put: async (_topic, _key, type, plain) => void shown.push(`${type}: ${plain}`),
      clear: async () => void shown.push(''),
    },
    nowSeconds: () => state.nowSeconds,
  });
  return { shown, state, unprotected };
}

describe('a client is reported as unprotected', () => {
  const cases: readonly (readonly [title: string, of: Partial<StoredClient>, isReported: boolean])[] = [
    ['when it is in no group', {}, true],
    ['when all its groups are disabled', { groups: [1] }, true],
    ['when its membership has ended', { groups: [0], group_expiry: { 0: 1000 } }, true],
    ['not when it is in a group', { groups: [0, 1] }, false],
    ['not when its membership ends later', { groups: [0], group_expiry: { 0: 1001 } }, false],
  ];
  for (const [title, of, isReported] of cases)
    it(title, () => {
      const { shown, unprotected } = scene([clientOf('10.0.0.5', { comment: 'Pad', ...of })]);
      unprotected.check();
      const text =
        'CLIENT: The client is in no group that is in force, so no rule and no list applies: 10.0.0.5 ' +
        '(Pad). For example: sluice clients set 10.0.0.5 --group "Default".';
      assert.deepEqual(shown, [isReported ? text : '']);
    });

  it('once, until it is protected, and again when its membership ends', () => {
    const { shown, state, unprotected } = scene([clientOf('10.0.0.5', {})]);
    unprotected.check();
    unprotected.check();
    state.clients = [clientOf('10.0.0.5', { groups: [0], group_expiry: { 0: 2000 } })];
    unprotected.check();
    state.nowSeconds = 2000;
    unprotected.check();
    assert.deepEqual(
      shown.map((text) => text.slice(0, 17)),
      ['CLIENT: The clien', '', 'CLIENT: The clien'],
    );
  });

  it('with others, of which five are named', () => {
    const clients = Array.from({ length: 7 }, (_, at) => clientOf(`10.0.0.${at}`, { id: at }));
    const { shown, unprotected } = scene(clients);
    unprotected.check();
    assert.match(
      shown[0] ?? '',
      /7 clients are .* applies: 10\.0\.0\.0, .*10\.0\.0\.4 and 2 more\. For example/u,
    );
  });
});
