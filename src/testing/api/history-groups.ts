// For tests only: groups with clients that are known in each way, and the network as it tells who is who.

import { addressText } from '../../history/thread/address-text.ts';
import { membersOf, type GroupMembersParts, type Members } from '../../control/plan/group-members.ts';
import type { StoredClient } from '../../store/database/clients.ts';
import { Collection } from '../../store/database/collection.ts';
import type { Group } from '../../store/database/groups.ts';

const dates = { date_added: 0, date_modified: 0 };
const groupNames = ['Default', 'tablets', 'range', 'hardware', 'nobody', 'away'] as const;
const groups = groupNames.map((name, id) => ({
  id,
  name,
  comment: null,
  // Who is in a group is so while the group is switched off.
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

/** 10.0.0.7 has a hardware address that is configured, but the range of its address says less. */
const linkOf = (address: Uint8Array) => ({
  mac: addressText(address) === '10.0.0.7' ? mac : undefined,
  interface: undefined,
});

export const madeMembersOf = (
  parts: Pick<GroupMembersParts, 'history' | 'nowMs'>,
  group: string,
): Promise<Members | undefined> =>
  membersOf(
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
