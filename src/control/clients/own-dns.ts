// Reverse lookups for the api thread. They are sent to Sluice's own DNS like the queries of any device, so
// that local records, conditional forwarding and upstreams apply.

import { Resolver } from 'node:dns';
import { isIPv4 } from 'node:net';
import { isMappedIpv4 } from '#wire';
import type { NameOutcome } from '#engine';
import { isLoopback, ownAddress } from '#history/thread';
import type { LookUpName } from './host-names.ts';

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

const maxLookupMs = 1_000;
/** A server has answered that the address has no name. */
const noNameCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** `servers`: where Sluice listens for DNS. */
export function lookUpInOwnDns(servers: () => readonly DnsServer[]): LookUpName {
  return (address, done) => {
    // RFC 6761 section 6.3: needs no query.
    if (isLoopback(address)) return done({ isFound: true, name: 'localhost' });
    const server = nearest(servers());
    if (server === undefined) return done({ isFound: false });
    const resolver = new Resolver({ timeout: maxLookupMs, tries: 1 });
    try {
      resolver.setServers([server]);
      if (server.startsWith('127.')) resolver.setLocalAddress(ownAddress);
      resolver.resolvePtr(reverseName(address), (error, names) => done(outcomeOf(error, names)));
    } catch {
      // Node rejects the listening address.
      done({ isFound: false });
    }
  };
}

/** PTR records may contain anything: only valid host names are used. */
const hostName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/u;

function outcomeOf(error: NodeJS.ErrnoException | null, names: readonly string[]): NameOutcome {
  if (error === null)
    return {
      isFound: true,
      name: names.map((name) => name.toLowerCase()).find((name) => hostName.test(name)),
    };
  return noNameCodes.has(error.code ?? '') ? { isFound: true, name: undefined } : { isFound: false };
}

/** Prefers loopback, which needs no network. Returns the format of `setServers`. */
function nearest(servers: readonly DnsServer[]): string | undefined {
  const usable = servers.map(({ address, port }) => ({ address: address.replace(/^\[|\]$/gu, ''), port }));
  const [server] = usable.toSorted((one, other) => rank(one.address) - rank(other.address));
  if (server === undefined) return undefined;
  return isIPv4(server.address) ? `${server.address}:${server.port}` : `[${server.address}]:${server.port}`;
}

function rank(address: string): number {
  return address === '127.0.0.1' || address === '::1' ? 0 : 1;
}

/** RFC 1035 section 3.5, RFC 3596 section 2.5. */
function reverseName(address: Uint8Array): string {
  if (isMappedIpv4(address, 0)) return `${address.slice(12).toReversed().join('.')}.in-addr.arpa`;
  return `${[...Buffer.from(address).toString('hex')].toReversed().join('.')}.ip6.arpa`;
}
