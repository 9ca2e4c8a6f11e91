// The machine's own information about the network: its addresses and subnets, its routers, its resolvers. It
// may change while the service runs, so it is read again from time to time.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { parseListenAddresses } from '#contract';
import { ipv4Text, ipv6Text } from '#wire';
import { ipv4First, readInterfaces } from '../sockets/interfaces.ts';

export interface Machine {
  readonly hostname: string;
  /** Without loopback and link-local ones, IPv4 first. */
  readonly addresses: readonly string[];
  /** All addresses, loopback too. */
  readonly allAddresses: readonly string[];
  readonly subnets: readonly string[];
  readonly routers: readonly string[];
  readonly resolvers: readonly string[];
}

const resolvConf = '/etc/resolv.conf';
const routeTable = '/proc/net/route';
const routeTable6 = '/proc/net/ipv6_route';
const routeIsUp = 1;
const wildcards: ReadonlySet<string> = new Set(['*', '0.0.0.0', '::']);
const dnsPort = 53;

export function readMachine(): Machine {
  const all = Object.values(readInterfaces()).flatMap((addresses) => addresses ?? []);
  const outside = all.filter(({ internal, address }) => !internal && !isLinkLocal(address));
  return {
    hostname: hostname(),
    addresses: ipv4First(outside).map(({ address }) => address),
    allAddresses: all.map(({ address }) => address),
    subnets: all.flatMap(({ cidr }) => (cidr === null ? [] : [cidr])),
    routers: [...parseRouters(readText(routeTable)), ...parseRouters6(readText(routeTable6))],
    resolvers: parseResolvers(readText(resolvConf)),
  };
}

/** The addresses after `nameserver`, in their order. */
export function parseResolvers(text: string): readonly string[] {
  const found = text
    .split('\n')
    .map((line) => /^\s*nameserver\s+(\S+)/u.exec(line)?.[1] ?? '')
    .filter((address) => isIP(address.split('%', 1)[0] ?? '') !== 0);
  return [...new Set(found)];
}

/** The domains that this machine is in: that of its host name, and those that DHCP or a person has set. */
export function readOwnDomains(): readonly string[] {
  return [...domainOfHost(hostname()), ...parseSearchDomains(readText(resolvConf))];
}

/** Empty for a name of one label, and for a name right below a top-level domain, which has many owners. */
export function domainOfHost(name: string): readonly string[] {
  const parts = name.replace(/\.$/u, '').split('.').slice(1);
  return parts.length < 2 ? [] : [parts.join('.')];
}

/** The domains after `search` or `domain`; the last such line counts (resolv.conf(5)). */
export function parseSearchDomains(text: string): readonly string[] {
  const lines = text.split('\n').flatMap((line) => /^\s*(?:search|domain)\s+(.*)/u.exec(line)?.[1] ?? []);
  const domains = (lines.at(-1) ?? '').split(/\s+/u).map((domain) => domain.replace(/\.$/u, ''));
  return domains.filter((domain) => /^[\w-]+(?:\.[\w-]+)*$/u.test(domain));
}

/** The gateways of the kernel's table of IPv4 routes, which has them in hexadecimal, in host byte order. */
export function parseRouters(text: string): readonly string[] {
  const rows = text.split('\n').slice(1);
  const found = rows.flatMap((row) => {
    const [, , gateway = '', flags = '0'] = row.split('\t');
    const isUp = (Number.parseInt(flags, 16) & routeIsUp) !== 0;
    return isUp && /^[0-9A-Fa-f]{8}$/u.test(gateway) && gateway !== '00000000'
      ? [ipv4Text(hexBytes(gateway).reverse(), 0)]
      : [];
  });
  return [...new Set(found)];
}

/** The same for IPv6: the fifth column is the next hop, the ninth has the flags. */
export function parseRouters6(text: string): readonly string[] {
  const found = text.split('\n').flatMap((row) => {
    const columns = row.trim().split(/\s+/u);
    const [gateway = '', flags = '0'] = [columns[4], columns[8]];
    const isUp = (Number.parseInt(flags, 16) & routeIsUp) !== 0;
    return isUp && /^[0-9a-f]{32}$/u.test(gateway) && !/^0+$/u.test(gateway)
      ? [ipv6Text(hexBytes(gateway), 0)]
      : [];
  });
  return [...new Set(found)];
}

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe[89ab])/iu.test(address);
}

/** Empty when the file cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The system's resolvers without this service: a machine often uses the resolver that runs on it. A wildcard
 * listens on each address of an interface, so the stub of systemd-resolved (127.0.0.53, which no interface
 * has) is not this service; if the stub forwards to this service, the loop is detected. On `foreign`
 * addresses another program has port 53.
 */
export function externalResolvers(
  machine: Machine,
  listen: string,
  foreign: readonly string[] = [],
): readonly string[] {
  const parsed = parseListenAddresses(listen);
  const ours = (parsed.ok ? parsed.addresses : []).filter(({ port }) => port === dnsPort);
  const isOurs = (address: string): boolean =>
    ours.some(({ host }) =>
      wildcards.has(host) ? machine.allAddresses.includes(address) : host === address,
    );
  return machine.resolvers.filter((address) => foreign.includes(address) || !isOurs(address));
}
