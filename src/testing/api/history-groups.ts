// For tests: groups with clients that are configured in each possible way, and a fake network that knows MAC
// addresses.

import { addressText } from '#wire';
import { membersOf, type GroupMembersParts, type Members } from '../../control/plan/group-members.ts';
import type { StoredClient } from '../../store/database/clients.ts';
import { Collection } from '../../store/database/collection.ts';
import type { Group } from '../../store/database/groups.ts';

const dates = { date_added: 0, date_modified: 0 };
const groupNames = ['Default', 'tablets', 'range', 'hardware', 'silent', 'away'] as const;
const groups = groupNames.map((name, id) => ({
  id,
  name,
  comment: null,
  // A disabled group still has members.
  enabled: name !== 'range',
  schedules: [],
  privacy: 0,
  ...dates,
}));
const mac = '02:00:00:00:00:07';
const members: readonly (readonly [client: string, groups: readonly number[]])[] = [
  ['10.0.0.2', [1]],
  ['tablet', [1]],
  ['10.0.0.4/30', [2, 0]],
  [mac, [3]],
  ['192.0.2.9', [4]],
];
const clients = members.map(([client, own], id) => ({
  client,
  id,
  groups: own,
  comment: null,
  group_expiry: {},
  ...dates,
}));

/** 10.0.0.7 is in a configured range too, but its MAC address is more specific. */
function linkOf(address: Uint8Array) {
  return {
    mac: addressText(address) === '10.0.0.7' ? mac : undefined,
    interface: undefined,
  };
}

export function madeMembersOf(
  parts: Pick<GroupMembersParts, 'history' | 'nowMs'>,
  group: string,
): Promise<Members | undefined> {
  return membersOf(
    {
      ...parts,
      devices: { linkOf },
      read: {
        groups: new Collection<Group>('groups', ({ name }) => name, groups),
        clients: new Collection<StoredClient>('clients', ({ client }) => client, clients),
      },
    },
    group,
    undefined,
  );
}
