// Reverse lookups for the api thread, asked of our own DNS as any device would: so local records, conditional
// forwarding and upstreams count here as they do for everybody.

import { Resolver } from 'node:dns';
import { isIPv4 } from 'node:net';
import type { NameOutcome } from '#engine';
import { isIpv4, isLoopback, ownAddress } from '#history/thread';
import type { LookUpName } from './host-names.ts';

export interface DnsPlace {
  readonly address: string;
  readonly port: number;
}

const lookupMaxMs = 1_000;
/** It has no name, and whoever said so knows. */
const without: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

export const askOwnDns =
  (places: () => readonly DnsPlace[]): LookUpName =>
  (address, done) => {
    // RFC 6761 section 6.3: known without asking anybody.
    if (isLoopback(address)) return done({ isFound: true, name: 'localhost' });
    const place = nearest(places());
    if (place === undefined) return done({ isFound: false });
    const resolver = new Resolver({ timeout: lookupMaxMs, tries: 1 });
    try {
      resolver.setServers([place]);
      if (place.startsWith('127.')) resolver.setLocalAddress(ownAddress);
      resolver.resolvePtr(reverseName(address), (error, names) => done(outcomeOf(error, names)));
    } catch {
      // Neither Node nor the system could make sense of where we listen.
      done({ isFound: false });
    }
  };

/** Whoever answers for a network may write anything: what is no host name is none. */
const hostName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/u;

function outcomeOf(error: NodeJS.ErrnoException | null, names: readonly string[]): NameOutcome {
  if (error === null)
    return {
      isFound: true,
      name: names.map((name) => name.toLowerCase()).find((name) => hostName.test(name)),
    };
  return without.has(error.code ?? '') ? { isFound: true, name: undefined } : { isFound: false };
}

/** Loopback if we listen there, as that needs no network; as Node wants it. */
function nearest(places: readonly DnsPlace[]): string | undefined {
  const usable = places.map(({ address, port }) => ({ address: address.replace(/^\[|\]$/gu, ''), port }));
  const [place] = usable.toSorted((one, other) => rank(one.address) - rank(other.address));
  if (place === undefined) return undefined;
  return isIPv4(place.address) ? `${place.address}:${place.port}` : `[${place.address}]:${place.port}`;
}

const rank = (address: string): number => (address === '127.0.0.1' || address === '::1' ? 0 : 1);

/** RFC 1035 section 3.5, RFC 3596 section 2.5. */
function reverseName(address: Uint8Array): string {
  if (isIpv4(address)) return `${address.slice(12).toReversed().join('.')}.in-addr.arpa`;
  return `${[...Buffer.from(address).toString('hex')].toReversed().join('.')}.ip6.arpa`;
}
