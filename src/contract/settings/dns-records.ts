// Checks of the text forms in DNS settings: local records, conditional forwarding, upstreams. Existing
// clients of this API know these forms and the texts of the reasons; the engine interprets the entries.

import { isIpAddress } from '../ip-text.ts';
import { addressRangeProblem, isHostName } from './checks.ts';

/** `IP host [host...] [# comment]` */
export function hostsEntryProblem(entry: string): string | undefined {
  const [address = '', ...names] = entry
    .replace(/#.*$/, '')
    .trim()
    .split(/[ \t]+/);
  if (isIpAddress(address) === 0) return 'neither a valid IPv4 nor IPv6 address';
  if (names.length === 0) return 'entry does not have at least one hostname';
  return names.every(isRecordName) ? undefined : 'invalid hostname';
}

/** `cname[,cname...],target[,TTL]` */
export function cnameRecordProblem(entry: string): string | undefined {
  const parts = entry.split(',').map((part) => part.trim());
  const empty = parts.indexOf('');
  if (empty >= 0) return `contains an empty string at position ${empty}`;
  const names = parts.length > 2 && /^\d+$/.test(parts.at(-1) ?? '') ? parts.slice(0, -1) : parts;
  if (names.length < 2) return 'not a valid CNAME definition (too few elements)';
  return names.every(isRecordName) ? undefined : 'invalid hostname';
}

/** `enabled,ip[/len],server[#port][,domain]` */
export function revServerProblem(entry: string): string | undefined {
  const parts = entry.split(',').map((part) => part.trim());
  if (parts.length < 3 || parts.length > 4) return 'does not have three or four elements';
  const wrong = parts.findIndex((part, index) => !(revServerParts[index]?.fits(part) ?? false));
  return wrong < 0 ? undefined : revServerParts[wrong]?.problem;
}

const revServerParts = [
  {
    fits: (part: string) => part === 'true' || part === 'false',
    problem: 'first element is neither true nor false',
  },
  {
    fits: (part: string) => addressRangeProblem(part) === undefined,
    problem: 'second element is no address or range',
  },
  { fits: (part: string) => isServer(part), problem: 'third element is not a server' },
  { fits: (part: string) => part === '' || isHostName(part), problem: 'fourth element is not a domain' },
];

export function upstreamProblem(entry: string): string | undefined {
  const [, scheme = 'udp', rest = ''] = /^(?:(udp|tcp|tls|https):\/\/)?(.+)$/.exec(entry) ?? [];
  const isSecure = scheme === 'tls' || scheme === 'https';
  // A name beside the address is used only where a certificate is checked.
  const server = isSecure ? rest.replace(/\?name=[A-Za-z0-9._-]+$/, '') : rest;
  const [host = '', ...path] = scheme === 'https' ? server.split(/(?=\/)/) : [server];
  return isServer(host) && !/[\s#]/.test(path.join('')) ? undefined : 'not an upstream';
}

/** `domain[,domain...] upstream[,upstream...]` */
export function domainUpstreamProblem(entry: string): string | undefined {
  const [domains = '', upstreams, ...rest] = entry.split(' ');
  if (upstreams === undefined || rest.length > 0) return 'not of the form "domain upstream"';
  if (!domains.split(',').every(isHostName)) return 'invalid domain';
  return upstreams.split(',').every((upstream) => upstreamProblem(upstream) === undefined)
    ? undefined
    : 'not an upstream';
}

/** An upstream that can be queried without resolving a name first. */
export function plainServerProblem(entry: string): string | undefined {
  const host = entry.replace(/^(udp|tcp):\/\//, '').replace(/^\[([^\]]+)\](?:[:#]\d{1,5})?$/, '$1');
  const isAddress = isIpAddress(host) !== 0 || isIpAddress(host.replace(/[:#]\d{1,5}$/, '')) !== 0;
  return isAddress && upstreamProblem(entry) === undefined ? undefined : 'not an address';
}

function isRecordName(name: string): boolean {
  return isHostName(name.replace(/^\*\./, ''));
}

/** `host`, `host#port`, `host:port`, `[IPv6]:port` */
function isServer(text: string): boolean {
  const bracketed = /^\[([^\]]+)\](?:[:#](\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return isIpAddress(bracketed[1] ?? '') === 6 && isPort(bracketed[2]);
  if (isIpAddress(text) !== 0) return true;
  const [host = '', port] = text.split(/[#:](?=\d+$)/);
  // A text that ends in a number is meant to be an address, even if it is not a valid one.
  const isName = isHostName(host) && !/(^|\.)\d+\.?$/.test(host);
  return (isIpAddress(host) !== 0 || isName) && isPort(port);
}

function isPort(text: string | undefined): boolean {
  return text === undefined || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535);
}
