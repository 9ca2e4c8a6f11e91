// The other side of a datagram as the system writes it (sockaddr_in, sockaddr_in6), in cells of 32 bytes: the
// batches fill and read them without our help. Only the first datagram of a wake-up comes with text, from
// node:dgram, and is written here; text is made of a cell for messages and for sending through node:dgram.

import { networkInterfaces } from 'node:os';
import { ipv4Text, writeIpv4, writeIpv6 } from '#wire';
import type { ClientAddress } from '../client-address.ts';
import { peerCellBytes } from './datagrams.ts';

const familyIpv4 = 2;
const familyIpv6 = 10;
const scopeAt = 24;

/** False when the text is no address, which node:dgram never says. */
export function writePeer(cells: Uint8Array, at: number, address: string, port: number): boolean {
  const isIpv6 = address.includes(':');
  cells[at] = isIpv6 ? familyIpv6 : familyIpv4;
  cells[at + 1] = 0;
  cells[at + 2] = port >>> 8;
  cells[at + 3] = port;
  if (!isIpv6) return writeIpv4(cells, at + 4, address);
  cells.fill(0, at + 4, at + 8);
  const zone = address.indexOf('%');
  writeScope(cells, at + scopeAt, zone < 0 ? 0 : scopeOf(address.slice(zone + 1)));
  return writeIpv6(cells, at + 8, zone < 0 ? address : address.slice(0, zone));
}

/** A client that came by a stream, written as if by a datagram. */
export function writeClient(cells: Uint8Array, at: number, client: ClientAddress, port: number): void {
  cells.fill(0, at, at + peerCellBytes);
  cells[at] = familyIpv6;
  cells[at + 2] = port >>> 8;
  cells[at + 3] = port;
  client.writeTo(cells, at + 8);
  if (!client.isIpv4) return;
  cells[at] = familyIpv4;
  cells.copyWithin(at + 4, at + 20, at + 24);
}

export function readPeerAddress(cells: Uint8Array, at: number, client: ClientAddress): void {
  if (cells[at] === familyIpv4) client.readFrom(cells, at + 4, 4);
  else client.readFrom(cells, at + 8, 16);
}

export function readPeerPort(cells: Uint8Array, at: number): number {
  return ((cells[at + 2] ?? 0) << 8) | (cells[at + 3] ?? 0);
}

/**
 * As node:dgram wants it: IPv6 without brackets, a link-local one with the name of its interface. IPv6 is not
 * shortened, unlike in `ipv6Text`, because each answer through node:dgram needs it.
 */
export function peerText(cells: Uint8Array, at: number): string {
  if (cells[at] === familyIpv4) return ipv4Text(cells, at + 4);
  const groups = Array.from({ length: 8 }, (_, index) => {
    const high = cells[at + 8 + 2 * index] ?? 0;
    return ((high << 8) | (cells[at + 9 + 2 * index] ?? 0)).toString(16);
  });
  const scope = readScope(cells, at + scopeAt);
  return scope === 0 ? groups.join(':') : `${groups.join(':')}%${zoneOf(scope)}`;
}

function writeScope(cells: Uint8Array, at: number, scope: number): void {
  for (let index = 0; index < 4; index += 1) cells[at + index] = scope >>> (8 * index);
}

function readScope(cells: Uint8Array, at: number): number {
  const low = (cells[at] ?? 0) | ((cells[at + 1] ?? 0) << 8) | ((cells[at + 2] ?? 0) << 16);
  return (low | ((cells[at + 3] ?? 0) << 24)) >>> 0;
}

/** Interfaces seen so far: few, and a number is never given to a second one while the first lives. */
const scopes = new Map<string, number>();
const maxScopes = 1024;

export function scopeOf(zone: string): number {
  if (/^\d+$/u.test(zone)) return Number(zone);
  const known = scopes.get(zone);
  if (known !== undefined) return known;
  learnScopes();
  return scopes.get(zone) ?? 0;
}

function zoneOf(scope: number): string {
  if (![...scopes.values()].includes(scope)) learnScopes();
  return [...scopes].find(([, known]) => known === scope)?.[0] ?? String(scope);
}

/** A kernel that refuses to tell, as it does to a process without descriptors, leaves what is known. */
function learnScopes(): void {
  let interfaces: ReturnType<typeof networkInterfaces>;
  try {
    interfaces = networkInterfaces();
  } catch {
    return;
  }
  scopes.clear();
  for (const [name, addresses = []] of Object.entries(interfaces).slice(0, maxScopes)) {
    const scope = addresses.find(({ scopeid }) => scopeid)?.scopeid;
    if (scope !== undefined) scopes.set(name, scope);
  }
}
