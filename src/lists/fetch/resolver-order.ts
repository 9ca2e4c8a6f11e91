// Whom to ask for the addresses of servers of lists, from settings and machine: upstreams that are plain DNS
// first, as any query would; then ourselves, because encrypted upstreams can only be asked through us; then
// those that are there for such moments. Pure, so that every case can be tried.

import { isIP } from 'node:net';
import { parseListenAddresses, type Settings } from '#contract';
import { externalResolvers, type Machine } from '#platform/neighbours';
import type { LookupWays } from './resolve-server.ts';

type DnsSettings = Pick<Settings['dns'], 'upstreams' | 'bootstrap' | 'fallbackUpstreams' | 'listen'>;

const dnsPort = 53;
const loopback: Readonly<Record<string, string>> = { '*': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };

export function lookupWays(dns: DnsSettings, machine: Machine): LookupWays {
  const others = externalResolvers(machine, dns.listen);
  const plain = plainServers(dns.upstreams);
  const stages = [plain, ownServers(dns.listen), plainServers([...dns.bootstrap, ...dns.fallbackUpstreams])];
  const system = others.map((address) => serverText(address, dnsPort));
  return {
    // Without any the system asks 127.0.0.1.
    isSystemOurs: machine.resolvers.length === 0 || others.length < machine.resolvers.length,
    servers: [...stages, system].filter((servers) => servers.length > 0),
  };
}

/** Only what is plain DNS and given by its address: for all else somebody would have to be asked first. */
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

const serverText = (address: string, port: number): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
