// The text form of listen settings: `address:port`, several separated by commas; an empty text means nowhere.
// Pure TypeScript without Node and without packages, because the form in the browser and the service must
// agree about every text. Addresses are converted to canonical form, so that two spellings of one address are
// recognized; overlapping addresses are refused here, where the message can name both: the kernel would only
// report that the port is in use.

import { limits } from './limits.ts';
import { formatIpv6Groups, isIpv4Mapped, isIpv4Text, isLinkLocal, parseIpv6Text } from './ip-text.ts';

export interface ListenAddress {
  readonly family: 'ipv4' | 'ipv6' | 'both';
  /** Canonical text without brackets; `*` for every local address of both families. */
  readonly host: string;
  /** The interface of a link-local address, otherwise empty. */
  readonly zone: string;
  /** 0 asks for any free port. */
  readonly port: number;
}

export type ParsedListenAddresses =
  | { readonly ok: true; readonly addresses: readonly ListenAddress[] }
  | { readonly ok: false; readonly problem: string };

type Parsed =
  | { readonly ok: true; readonly address: ListenAddress }
  | { readonly ok: false; readonly problem: string };
type Host = Omit<ListenAddress, 'port'>;

const { listenAddresses: maxListenAddresses, listenTextLength: maxListenTextLength } = limits;

const maxPort = 65535;
const maxQuotedLength = 80;
const portPattern = /^(?:0|[1-9]\d{0,4})$/u;
/** Narrower than Linux' rule for interface names (dev_valid_name), which forbids only `/`, `:` and spaces. */
const zonePattern = /^[\w.@+-]{1,15}$/u;
const advice = 'Write address:port, for example 127.0.0.1:80, [::1]:80, or *:80 for every local address';

export function parseListenAddresses(text: string): ParsedListenAddresses {
  if (text.length > maxListenTextLength) {
    return refuse(
      `there are more than ${maxListenTextLength} characters of addresses. Give fewer addresses.`,
    );
  }
  if (text.trim() === '') return { ok: true, addresses: [] };
  const parts = text.split(',');
  if (parts.length > maxListenAddresses) {
    return refuse(
      `${parts.length} addresses are given; at most ${maxListenAddresses} are allowed. Give fewer.`,
    );
  }
  return collect(parts);
}

export function formatListenAddress(address: ListenAddress): string {
  const host = formatListenHost(address);
  return address.family === 'ipv6' ? `[${host}]:${address.port}` : `${host}:${address.port}`;
}

/** The address alone, without brackets, and with the zone of a link-local one. */
export function formatListenHost({ host, zone }: ListenAddress): string {
  return zone === '' ? host : `${host}%${zone}`;
}

function collect(parts: readonly string[]): ParsedListenAddresses {
  const addresses: ListenAddress[] = [];
  for (const part of parts) {
    const parsed = parseOne(part.trim());
    if (!parsed.ok) return parsed;
    const rival = addresses.find(
      (earlier) => covers(earlier, parsed.address) || covers(parsed.address, earlier),
    );
    if (rival !== undefined) return refuse(overlapProblem(rival, parsed.address));
    addresses.push(parsed.address);
  }
  return { ok: true, addresses };
}

function parseOne(part: string): Parsed {
  if (part === '') return refuse(`an address is empty: there is a comma too many. ${advice}.`);
  const colon = part.lastIndexOf(':');
  if (colon < 0 || part.endsWith(']')) return refuse(`${quote(part)} has no port. ${advice}.`);
  const portText = part.slice(colon + 1);
  const host = parseHost(part.slice(0, colon));
  if (typeof host === 'string') return refuse(`${quote(part)}: ${host}.`);
  if (!portPattern.test(portText) || Number(portText) > maxPort) {
    return refuse(`${quote(part)}: the port must be a number from 1 to ${maxPort}, or 0 for any free port.`);
  }
  return { ok: true, address: { ...host, port: Number(portText) } };
}

/** A string instead of a host is its problem. */
function parseHost(text: string): Host | string {
  if (text === '*') return { family: 'both', host: '*', zone: '' };
  if (isIpv4Text(text)) return { family: 'ipv4', host: text, zone: '' };
  if (text.startsWith('[') && text.endsWith(']')) return parseBracketed(text.slice(1, -1));
  if (text.includes(':')) return 'an IPv6 address must be in brackets, for example [::1]:80';
  return `this is not an IP address (names are not resolved here). ${advice}`;
}

function parseBracketed(text: string): Host | string {
  const [addressText = '', ...zones] = text.split('%');
  const groups = parseIpv6Text(addressText);
  const zone = zones.join('%');
  if (groups === undefined)
    return 'brackets are for an IPv6 address, for example [::1]:80 or [fe80::1%eth0]:80';
  if (isIpv4Mapped(groups)) return 'write an IPv4 address without brackets, for example 127.0.0.1:80';
  if (isLinkLocal(groups) && !zonePattern.test(zone)) {
    return 'a link-local address needs the name of its interface, for example [fe80::1%eth0]:80';
  }
  if (!isLinkLocal(groups) && zones.length > 0)
    return 'only link-local addresses (fe80::/10) have an interface after %';
  return { family: 'ipv6', host: formatIpv6Groups(groups), zone };
}

/** Port 0 never collides: each gets its own port. */
function covers(wide: ListenAddress, narrow: ListenAddress): boolean {
  if (wide.port !== narrow.port || wide.port === 0) return false;
  if (wide.family === 'both') return true;
  if (wide.family !== narrow.family) return false;
  if (wide.host === '0.0.0.0' || wide.host === '::') return true;
  return wide.host === narrow.host && wide.zone === narrow.zone;
}

function overlapProblem(first: ListenAddress, second: ListenAddress): string {
  const [a, b] = [formatListenAddress(first), formatListenAddress(second)];
  if (a === b) return `${a} is given twice. Remove one of them.`;
  return `${a} and ${b} overlap, and only one socket can have the port. Remove one of them.`;
}

function quote(part: string): string {
  return part.length > maxQuotedLength ? `"${part.slice(0, maxQuotedLength)}…"` : `"${part}"`;
}

function refuse(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

/** For the declarations of settings: the allowed values, as the end of a sentence. */
export const listenAddressesAllowed =
  'address:port, several separated by commas, IPv6 in brackets, * for every local address, port 0 for any ' +
  'free port; empty for off';

/** For the declarations of settings: the problem of a text, if any. */
export function listenAddressesProblem(text: string): string | undefined {
  const parsed = parseListenAddresses(text);
  return parsed.ok ? undefined : parsed.problem;
}
