// Which clients are answered: loopback and local networks, and the machine's own subnets, because an open
// resolver on the Internet is found within hours and used to attack others. A setting opens it to all.

import type { ClientAddress } from '../client-address.ts';
import { containsAny, parseNetwork, type Network } from '../net/networks.ts';

export interface AccessOptions {
  /** All clients are answered. */
  readonly open: boolean;
  /** The machine's own subnets, as text. */
  readonly subnets: readonly string[];
}

/** Private (RFC 1918), shared (RFC 6598), link-local, loopback, unique-local (RFC 4193). */
const localNetworks = parseNetworks([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1',
  'fe80::/10',
  'fc00::/7',
]);

export function createAccess({ open, subnets }: AccessOptions): (client: ClientAddress) => boolean {
  if (open) return () => true;
  const networks = [...localNetworks, ...parseNetworks(subnets)];
  return (client) => containsAny(networks, client);
}

/** What does not parse is left out: the settings have checked it before. */
export function parseNetworks(texts: readonly string[]): readonly Network[] {
  return texts.map(parseNetwork).filter((network) => network !== undefined);
}
