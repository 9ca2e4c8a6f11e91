// A Linux network namespace with its own addresses on loopback, where tests can add and remove addresses and
// send queries from other networks. Clients there run as a process in the namespace: see probe.ts.

import type { TestContext } from 'node:test';

import { openNamespace } from '../../running/namespace.ts';
import { runTool } from './clients.ts';

export type Network = {
  /** Prefix of a command that runs it in the namespace. */
  readonly wrap: readonly string[];
  readonly add: (address: string) => Promise<void>;
  readonly remove: (address: string) => Promise<void>;
};

/** Addresses have a prefix length, as in `192.0.2.1/24`. */
export const openNetwork = async (t: TestContext, addresses: readonly string[]): Promise<Network> => {
  const { wrap } = await openNamespace(t);
  // Without `nodad` an IPv6 address is unusable for a second.
  const change = (verb: 'add' | 'del') => async (address: string) => {
    const late = verb === 'add' && address.includes(':') ? ['nodad'] : [];
    await runTool(wrap, 'ip', ['address', verb, address, 'dev', 'lo', ...late]);
  };
  const network = { wrap, add: change('add'), remove: change('del') };
  for (const address of addresses) await network.add(address);
  return network;
};

export type Cable = {
  readonly near: readonly string[];
  readonly far: readonly string[];
  /** The interface name at the near end; the one at the far end is `far`. */
  readonly interface?: string;
  /** The MAC address at the far end. */
  readonly mac?: string;
};

/** Another namespace, joined to the network by a veth pair with these addresses, without prefix length. */
export const openNeighbour = async (
  t: TestContext,
  network: Network,
  { near, far, interface: name = 'near', mac }: Cable,
): Promise<Network> => {
  const neighbour = await openNetwork(t, []);
  const pid = neighbour.wrap[2] ?? '';
  const ends = [
    { wrap: network.wrap, device: name, own: near, others: far },
    { wrap: neighbour.wrap, device: 'far', own: far, others: near },
  ];
  const other = ['name', 'far', ...(mac === undefined ? [] : ['address', mac]), 'netns', pid];
  await runTool(network.wrap, 'ip', ['link', 'add', name, 'type', 'veth', 'peer', ...other]);
  for (const { wrap, device, own } of ends) {
    await runTool(wrap, 'ip', ['link', 'set', device, 'up']);
    for (const address of own) {
      const flags = address.includes(':') ? ['nodad'] : [];
      await runTool(wrap, 'ip', ['address', 'add', address, 'dev', device, ...flags]);
    }
  }
  for (const { wrap, device, others } of ends)
    for (const address of others) await runTool(wrap, 'ip', ['route', 'add', address, 'dev', device]);
  return neighbour;
};
