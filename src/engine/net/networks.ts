// Networks as words: parsed once from text (`10.0.0.0/8`, `fd00::/8`, `192.168.1.5`), matched by masks. IPv4
// is looked at as ::ffff:a.b.c.d, so that one comparison serves both families.

import { isIPv4 } from 'node:net';
import { ipBytes } from '#wire';
import { ClientAddress } from '../client-address.ts';

export interface Network {
  readonly address: ClientAddress;
  readonly prefix: number;
}

/** `undefined` when the text is no address and no network. */
export function parseNetwork(text: string): Network | undefined {
  const [host = '', length, ...rest] = text.split('/');
  const address = parseAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  const own = isIPv4(host) ? 32 : 128;
  const prefix = length === undefined ? own : Number(length);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > own || length === '') return undefined;
  return { address, prefix: prefix + (128 - own) };
}

/** A zone (`%eth0`) is left out: the address alone identifies the client. */
export function parseAddress(text: string): ClientAddress | undefined {
  const bytes = ipBytes(text);
  if (bytes === undefined) return undefined;
  const address = new ClientAddress();
  address.readFrom(bytes, 0, bytes.length);
  return address;
}

export function contains(network: Network, client: ClientAddress): boolean {
  const { address, prefix } = network;
  return (
    matches(address.a0, client.a0, prefix) &&
    matches(address.a1, client.a1, prefix - 32) &&
    matches(address.a2, client.a2, prefix - 64) &&
    matches(address.a3, client.a3, prefix - 96)
  );
}

export function containsAny(networks: readonly Network[], client: ClientAddress): boolean {
  return networks.some((network) => contains(network, client));
}

function matches(one: number, other: number, bits: number): boolean {
  if (bits <= 0) return true;
  return bits >= 32 ? one === other : (one ^ other) >>> (32 - bits) === 0;
}
