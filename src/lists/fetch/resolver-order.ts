// Which resolvers are queried for the address of a list server, and in which order. First the upstreams that
// speak plain DNS; then Sluice itself, which can query encrypted upstreams; then the bootstrap and fallback
// servers; last the resolvers of the machine. A pure function of settings and machine.

import { isIP } from 'node:net';
import { parseListenAddresses, type Settings } from '#contract';
import { externalResolvers, type Machine } from '#platform/neighbours';
import type { ResolverOrder } from './resolve-server.ts';

type DnsSettings = Pick<Settings['dns'], 'upstreams' | 'bootstrap' | 'fallbackUpstreams' | 'listen'>;

const dnsPort = 53;
const loopback: Readonly<Record<string, string>> = { '*': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };

export function resolverOrder(dns: DnsSettings, machine: Machine): ResolverOrder {
  const external = externalResolvers(machine, dns.listen);
  const stages = [
    plainServers(dns.upstreams),
    ownServers(dns.listen),
    plainServers([...dns.bootstrap, ...dns.fallbackUpstreams]),
    external.map((address) => serverText(address, dnsPort)),
  ];
  return {
    // A system without resolvers queries 127.0.0.1.
    isSystemSluice: machine.resolvers.length === 0 || external.length < machine.resolvers.length,
    servers: stages.filter((servers) => servers.length > 0),
  };
}

/** Only servers with plain DNS and an IP address: the name of any other would have to be resolved first. */
function plainServers(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => {
    const rest = /^(?:(?:udp|tcp):\/\/)?([^/]+)$/u.exec(text)?.[1] ?? '';
    if (isIP(rest) !== 0) return [serverText(rest, dnsPort)];
    const [, host = '', port] = /^\[?([^[\]#]+?)\]?(?:[#:](\d{1,5}))?$/u.exec(rest) ?? [];
    return isIP(host) === 0 ? [] : [serverText(host, Number(port ?? dnsPort))];
  });
}

function ownServers(listen: string): readonly string[] {
  const parsed = parseListenAddresses(listen);
  const known = (parsed.ok ? parsed.addresses : []).filter(({ port }) => port !== 0);
  return known.map(({ host, port }) => serverText(loopback[host] ?? host, port));
}

function serverText(address: string, port: number): string {
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
