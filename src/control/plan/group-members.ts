// Which clients in the history belong to a group now. Each is identified as the policy identifies the sender
// of a query: by its address and, where a configured client needs it, by MAC address, interface and host
// name.

import type { ClientTraits } from '#policy';
import { buildPolicyPlan, type PlannedClient, type PolicyPlan } from './policy-plan.ts';
import type { HistoryReader } from '#history/thread';
import type { ReadModel } from '#store/database';
import type { Group } from '#store/database/entities';
import { readClient } from '../clients/client-text.ts';
import type { DeviceDirectory } from '../clients/device-directory.ts';

export type Members =
  | {
      /** Their ids in the history. */
      readonly clients: readonly number[];
      /** False when the history has too many clients to check them all. */
      readonly isAll: boolean;
    }
  | { readonly problem: string };

export interface GroupMembersParts {
  readonly history: HistoryReader;
  readonly read: Pick<ReadModel, 'groups' | 'clients'>;
  readonly devices: Pick<DeviceDirectory, 'linkOf'>;
  readonly nowMs: () => number;
}

const maxClients = 20_000;
const limitMs = 500;

/** Undefined when there is no such group. */
export async function membersOf(
  parts: GroupMembersParts,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<Members | undefined> {
  const group = findGroup(parts, wanted);
  if (group === undefined) return undefined;
  const reply = await parts.history.query('clients', { most: maxClients }, { limitMs, signal });
  if (!reply.ok) return { problem: reply.problem };
  // Loaded on demand, because most installations never need it.
  const { clientTableOf } = await import('./worker-policy.ts');
  const { clients, defaultGroups } = planOf(parts);
  const table = clientTableOf(clients);
  const traitsOf = traitsFor(parts, clients);
  const members = reply.value.clients.filter(({ ip, name }) => {
    const address = addressOf(ip);
    if (address === undefined) return false;
    const row = table.find({ address, name: undefined, hostName: nameOf(name), ...traitsOf(address) });
    return (row?.groups ?? defaultGroups).includes(group.id);
  });
  return { clients: members.map(({ id }) => id), isAll: reply.value.isAll };
}

function findGroup({ read }: GroupMembersParts, wanted: string): Group | undefined {
  const [byId] = /^\d{1,15}$/u.test(wanted) ? read.groups.filter(({ id }) => id === Number(wanted)) : [];
  return byId ?? read.groups.get(wanted);
}

/** All groups count as enabled: a client is a member also while its group is disabled. */
function planOf({ read, nowMs }: GroupMembersParts): PolicyPlan {
  return buildPolicyPlan({
    domains: [],
    lists: [],
    pauses: [],
    clients: read.clients.filter(() => true),
    groups: read.groups.filter(() => true).map((group) => ({ ...group, enabled: true, schedules: [] })),
    isBlocking: true,
    nowSeconds: Math.floor(nowMs() / 1000),
  });
}

/** Queries the kernel only if some configured client is identified by MAC address or interface. */
function traitsFor({ devices }: GroupMembersParts, clients: readonly PlannedClient[]) {
  const isNeeded = clients.some((client) => client.mac !== undefined || client.interface !== undefined);
  return (address: Uint8Array): ClientTraits => (isNeeded ? devices.linkOf(address) : {});
}

function nameOf(name: string): string | undefined {
  return name === '' ? undefined : name;
}

function addressOf(ip: string): Uint8Array | undefined {
  const read = readClient(ip);
  if (read === undefined || !('words' in read)) return undefined;
  return Uint8Array.from(read.words.flatMap((word) => [word >> 8, word & 0xff]));
}
