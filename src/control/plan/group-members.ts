// Who of those that ever asked is in a group now: each is looked up as the policy looks up who asks, by its
// address, and by what the network says of it where a configured client is known by that.

import type { ClientTraits } from '#policy';
import { makePolicyPlan, type PlannedClient } from './policy-plan.ts';
import type { HistoryReader } from '#history/thread';
import type { ReadModel } from '#store/database';
import type { Group } from '#store/database/entities';
import { readClient } from '../clients/client-text.ts';
import type { DeviceDirectory } from '../clients/device-directory.ts';

export type Members =
  | {
      /** By the numbers that the history has for them. */
      readonly clients: readonly number[];
      /** False when there were too many to look at. */
      readonly isAll: boolean;
    }
  | { readonly problem: string };

export interface GroupMembersParts {
  readonly history: HistoryReader;
  readonly read: Pick<ReadModel, 'groups' | 'clients'>;
  readonly devices: Pick<DeviceDirectory, 'linkOf'>;
  readonly nowMs: () => number;
}

const mostClients = 20_000;
const limitMs = 500;

/** Nothing when there is no such group. */
export const membersOf = async (
  parts: GroupMembersParts,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<Members | undefined> => {
  const group = findGroup(parts, wanted);
  if (group === undefined) return undefined;
  const told = await parts.history.ask('clients', { most: mostClients }, { limitMs, signal });
  if (!told.ok) return { problem: told.problem };
  // Loaded when somebody asks: most never do.
  const { clientTableOf } = await import('./worker-policy.ts');
  const { clients, defaultGroups } = planOf(parts);
  const table = clientTableOf(clients);
  const traitsOf = traitsFor(parts, clients);
  const members = told.value.clients.filter(({ ip, name }) => {
    const address = addressOf(ip);
    if (address === undefined) return false;
    const row = table.find({ address, name: undefined, hostName: nameOf(name), ...traitsOf(address) });
    return (row?.groups ?? defaultGroups).includes(group.id);
  });
  return { clients: members.map(({ id }) => id), isAll: told.value.isAll };
};

const findGroup = ({ read }: GroupMembersParts, wanted: string): Group | undefined => {
  const [byId] = /^\d{1,15}$/u.test(wanted) ? read.groups.filter(({ id }) => id === Number(wanted)) : [];
  return byId ?? read.groups.get(wanted);
};

/** One belongs to a group also while that is disabled or outside its schedules. */
const planOf = ({ read, nowMs }: GroupMembersParts) =>
  makePolicyPlan({
    domains: [],
    lists: [],
    pauses: [],
    clients: read.clients.filter(() => true),
    groups: read.groups.filter(() => true).map((group) => ({ ...group, enabled: true, schedules: [] })),
    isBlocking: true,
    nowSeconds: Math.floor(nowMs() / 1000),
  });

/** The kernel is asked only where somebody is known by what it says. */
const traitsFor = ({ devices }: GroupMembersParts, clients: readonly PlannedClient[]) => {
  const isNeeded = clients.some((client) => client.mac !== undefined || client.interface !== undefined);
  return (address: Uint8Array): ClientTraits => (isNeeded ? devices.linkOf(address) : {});
};

const nameOf = (name: string): string | undefined => (name === '' ? undefined : name);

const addressOf = (ip: string): Uint8Array | undefined => {
  const read = readClient(ip);
  if (read === undefined || !('words' in read)) return undefined;
  return Uint8Array.from(read.words.flatMap((word) => [word >> 8, word & 0xff]));
};
