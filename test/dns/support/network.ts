// A network of its own with addresses of its own: real addresses on loopback of a Linux network namespace, where
// they can come and go, and where strangers can ask. Whoever asks there runs there: see probe.ts.

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
