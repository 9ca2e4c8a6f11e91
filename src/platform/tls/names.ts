// The names in a certificate. A browser compares the host in its address bar with these, so the self-issued
// certificate lists every known way to reach this machine: the fixed names, the host's name, the names from
// the settings and the local addresses. All are converted to one canonical text (lower case, punycode,
// shortest IPv6 text), because missing names are found by comparing texts. The order is the priority: above
// the limit, the last addresses are dropped.

import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { ipBytes, ipText, MAX_NAME_CHARACTERS } from '#wire';
import { limits } from '#contract';

export type NameSources = {
  readonly hostname: string;
  /** Extra names or addresses, from the setting web.hosts. */
  readonly hosts: readonly string[];
  readonly addresses: readonly string[];
};

export type WantedNames = {
  readonly names: readonly string[];
  /** Entries of `hosts` that are not valid names, and names above the limit. */
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

/** The canonical text of a DNS name or an address; undefined for a text that a certificate cannot contain. */
export function canonicalName(text: string): string | undefined {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? canonicalDnsName(bare) : canonicalAddress(bare);
}

/** mDNS (RFC 6762) announces the first label under `.local`, whatever the host's domain is. */
function hostNames(hostname: string): (string | undefined)[] {
  const name = canonicalName(hostname);
  if (name === undefined || isIP(name) !== 0) return [];
  return [name, canonicalName(`${name.split('.', 1)[0]}.local`)];
}

/** Sorted, IPv4 first, so that the limit always drops the same addresses. */
function localAddresses(addresses: readonly string[]): string[] {
  const usable = addresses.map(canonicalAddress).filter((address) => address !== undefined);
  return usable.toSorted((a, b) => isIP(a) - isIP(b) || (a < b ? -1 : 1));
}

/** Link-local addresses are excluded: a certificate cannot contain a zone (RFC 5280, 4.2.1.6). */
function canonicalAddress(text: string): string | undefined {
  const bytes = text.includes('%') ? undefined : ipBytes(text);
  if (bytes === undefined) return undefined;
  return unusable.check(text, bytes.length === 4 ? 'ipv4' : 'ipv6') ? undefined : ipText(bytes);
}

function canonicalDnsName(text: string): string | undefined {
  const starred = text.startsWith('*.') ? '*.' : '';
  const ascii = domainToASCII(text.slice(starred.length)).replace(/\.$/, '');
  const name = starred + ascii;
  // The conversion turns numbers into an IPv4 address, 10.1 into 10.0.0.1; such a text is not a name.
  const valid =
    name.length <= MAX_NAME_CHARACTERS &&
    isIP(ascii) === 0 &&
    ascii.split('.').every((part) => label.test(part));
  return valid ? name : undefined;
}

/**
 * Parses Node's text of a subjectAltName: `DNS:a.example, IP Address:10.0.0.1`. A value with unusual
 * characters is a JSON string there, so the text cannot simply be split at commas.
 */
export function namesOfCertificate(subjectAltName: string | undefined): string[] {
  const entries = (subjectAltName ?? '').matchAll(/(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].map((entry) => canonicalName(entry[2] ?? '')).filter((name) => name !== undefined);
}
