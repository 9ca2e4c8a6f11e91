// A network of its own with addresses of its own: real addresses on loopback of a Linux network namespace,
// where they can come and go, and where strangers can ask. Whoever asks there runs there: see probe.ts.

import type { TestContext } from 'node:test';

import { openNamespace } from '../../running/namespace.ts';
import { runTool } from './clients.ts';

export type Network = {
  /** What to put before a command to run it within. */
  readonly wrap: readonly string[];
  readonly add: (address: string) => Promise<void>;
  readonly remove: (address: string) => Promise<void>;
};

/** Addresses are given with the length of their prefix. */
export const openNetwork = async (t: TestContext, addresses: readonly string[]): Promise<Network> => {
  const { wrap } = await openNamespace(t);
  // Without `nodad` an IPv6 address could not be used for a second.
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
  /** The interface at our end; `far` is the one at the other. */
  readonly interface?: string;
  /** The hardware address at the other end. */
  readonly mac?: string;
};

/** Another machine, joined to the network by a cable with these addresses at its ends, without prefix. */
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
