// The names in a certificate. A browser compares what stands in its address bar with these, so our own
// certificate lists every way to reach this machine that we know of: the fixed names, the host's name, the
// names from the settings and the local addresses. Everything is brought into one canonical text (lower
// case, punycode, shortest IPv6 text), because "is a name missing?" is answered by comparing texts. Order
// is priority: when there are more than the limit, the last addresses are left out.

import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import { domainToASCII } from 'node:url';
import { limits } from '#contract';

export type NameSources = {
  readonly hostname: string;
  /** Extra names or addresses, from the setting web.hosts. */
  readonly hosts: readonly string[];
  readonly addresses: readonly string[];
};

export type WantedNames = {
  readonly names: readonly string[];
  /** Entries of `hosts` that are no names, and whatever lies beyond the limit. */
  readonly leftOut: readonly string[];
};

const fixedNames = ['localhost', '127.0.0.1', '::1', 'sluice.internal'];
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

const unusable = new BlockList();
unusable.addSubnet('169.254.0.0', 16, 'ipv4');
unusable.addSubnet('fe80::', 10, 'ipv6');
unusable.addAddress('0.0.0.0', 'ipv4');
unusable.addAddress('::', 'ipv6');

export function wantedNames(sources: NameSources): WantedNames {
  const fromHosts = sources.hosts.map((host) => ({ host, name: canonicalName(host) }));
  const all = new Set(
    [
      ...fixedNames,
      ...hostNames(sources.hostname),
      ...fromHosts.map(({ name }) => name),
      ...localAddresses(sources.addresses),
    ].filter((name) => name !== undefined),
  );
  const names = [...all];
  const refused = fromHosts.filter(({ name }) => name === undefined).map(({ host }) => host);
  return {
    names: names.slice(0, limits.certificateNames),
    leftOut: [...refused, ...names.slice(limits.certificateNames)],
  };
}

/** The canonical text of a DNS name or an address; undefined for what cannot stand in a certificate. */
export function canonicalName(text: string): string | undefined {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? canonicalDnsName(bare) : canonicalAddress(bare);
}

/** mDNS (RFC 6762) announces the first label under `.local`, whatever domain the host's name carries. */
function hostNames(hostname: string): (string | undefined)[] {
  const name = canonicalName(hostname);
  if (name === undefined || isIP(name) !== 0) return [];
  return [name, canonicalName(`${name.split('.', 1)[0]}.local`)];
}

/** Sorted, IPv4 first, so that the same addresses always leave out the same ones at the limit. */
function localAddresses(addresses: readonly string[]): string[] {
  const usable = addresses.map(canonicalAddress).filter((address) => address !== undefined);
  return usable.toSorted((a, b) => isIP(a) - isIP(b) || (a < b ? -1 : 1));
}

/** Link-local addresses are left out: with a zone they cannot stand in a certificate (RFC 5280, 4.2.1.6). */
function canonicalAddress(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const family = isIPv4(text) ? 'ipv4' : 'ipv6';
  return unusable.check(text, family) ? undefined : new SocketAddress({ address: text, family }).address;
}

function canonicalDnsName(text: string): string | undefined {
  const starred = text.startsWith('*.') ? '*.' : '';
  const ascii = domainToASCII(text.slice(starred.length)).replace(/\.$/, '');
  const name = starred + ascii;
  // The conversion reads numbers as an IPv4 address, 10.1 as 10.0.0.1; such a text is no name.
  const valid = name.length <= 253 && isIP(ascii) === 0 && ascii.split('.').every((part) => label.test(part));
  return valid ? name : undefined;
}

/**
 * Reads the names out of Node's text of a subjectAltName: `DNS:a.example, IP Address:10.0.0.1`. A value with
 * unusual characters stands there as a JSON string, which is why a plain split at commas would not do.
 */
export function namesOfCertificate(subjectAltName: string | undefined): string[] {
  const entries = (subjectAltName ?? '').matchAll(/(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].map((entry) => canonicalName(entry[2] ?? '')).filter((name) => name !== undefined);
}
