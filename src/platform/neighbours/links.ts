// Finds the hardware address of an IP address and the interface through which it is reached, by querying the
// kernel for this one address. The kernel knows a neighbour that has just sent a query, because the neighbour
// has resolved the kernel's hardware address before (RFC 826, RFC 4861 section 7.2.3). Where a single
// neighbour cannot be queried (Linux before 5.0, or without koffi) the whole table is read, at most once a
// second.

import { readFileSync } from 'node:fs';
import { readInterfaces } from '../sockets/interfaces.ts';
import { parseArpTable } from './arp-table.ts';
import { loadNetlink, type Netlink } from './netlink.ts';
import { neighbourRequest, neighboursRequest, routeRequest } from './netlink-messages.ts';

export interface Link {
  readonly mac: string | undefined;
  readonly interface: string | undefined;
  /** A neighbour whose hardware address is not known yet: the caller should try again soon. */
  readonly isOpen: boolean;
}

export interface KnownNeighbour {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  readonly mac: string;
}

export interface Links {
  find(address: Uint8Array, nowMs: number): Link;
  /** All that have a hardware address, up to a limit. */
  neighbours(): readonly KnownNeighbour[];
}

const maxNeighbours = 16_384;
const arpFile = '/proc/net/arp';
/** Maximum age of a table that was read as a whole. */
const maxTableAgeMs = 1_000;
/** How long the names and numbers of interfaces are cached. */
const maxInterfacesAgeMs = 5_000;
const maxInterfaces = 32;
const ENOENT = 2;
const nothing: Link = { mac: undefined, interface: undefined, isOpen: false };

export function openLinks(): Links {
  const netlink = loadNetlink();
  return netlink === undefined ? new TableLinks(readArpTable) : new NetlinkLinks(netlink);
}

export class NetlinkLinks implements Links {
  readonly #netlink: Netlink;
  readonly #table: TableLinks;
  #indexes: readonly number[] = [];
  readonly #names = new Map<number, string | undefined>();
  #interfacesMs = Number.NEGATIVE_INFINITY;

  constructor(netlink: Netlink) {
    this.#netlink = netlink;
    this.#table = new TableLinks(() => this.#readAll());
  }

  find(address: Uint8Array, nowMs: number): Link {
    if (nowMs - this.#interfacesMs >= maxInterfacesAgeMs) this.#refreshInterfaces(nowMs);
    return isLinkLocal(address) ? this.#findOnAll(address) : this.#findByRoute(address, nowMs);
  }

  neighbours(): readonly KnownNeighbour[] {
    return this.#readAll();
  }

  #findByRoute(address: Uint8Array, nowMs: number): Link {
    let link: Link = { ...nothing, isOpen: true };
    this.#netlink.exchange(routeRequest(address), (reply) => {
      if (reply?.kind === 'route') {
        link = { ...nothing, interface: this.#nameOf(reply.interfaceIndex), isOpen: reply.isOnLink };
        return reply.isOnLink ? neighbourRequest(address, reply.interfaceIndex) : undefined;
      }
      if (reply?.kind === 'neighbour') link = { ...link, mac: reply.mac, isOpen: reply.mac === undefined };
      else if (reply?.kind === 'end') link = this.#without(link, address, reply.code, nowMs);
      return undefined;
    });
    return link;
  }

  /** The kernel has no route or no neighbour, or does not support the request. */
  #without(link: Link, address: Uint8Array, code: number, nowMs: number): Link {
    if (link.interface === undefined) return nothing;
    return code === ENOENT ? link : this.#table.complete(link, address, nowMs);
  }

  /** A link-local address does not name its link: all are queried, and the first that knows it counts. */
  #findOnAll(address: Uint8Array): Link {
    const indexes = this.#indexes;
    let link: Link = { ...nothing, isOpen: true };
    let at = 0;
    const [first] = indexes;
    if (first === undefined) return nothing;
    this.#netlink.exchange(neighbourRequest(address, first), (reply) => {
      if (reply?.kind === 'neighbour' && reply.mac !== undefined) {
        link = { mac: reply.mac, interface: this.#nameOf(reply.interfaceIndex), isOpen: false };
        return undefined;
      }
      const next = indexes[++at];
      return next === undefined ? undefined : neighbourRequest(address, next);
    });
    return link;
  }

  #refreshInterfaces(nowMs: number): void {
    const scopes = Object.values(readInterfaces()).flatMap((addresses = []) =>
      addresses.flatMap(({ scopeid = 0 }) => (scopeid === 0 ? [] : [scopeid])),
    );
    this.#indexes = [...new Set(scopes)].slice(0, maxInterfaces);
    this.#names.clear();
    this.#interfacesMs = nowMs;
  }

  #readAll(): readonly FoundNeighbour[] {
    const all = (['ipv4', 'ipv6'] as const).flatMap((family) =>
      this.#netlink.list(neighboursRequest(family), maxNeighbours / 2),
    );
    return all.flatMap((message) => {
      if (message.kind !== 'neighbour' || message.mac === undefined) return [];
      return [{ address: message.address, mac: message.mac, interface: undefined }];
    });
  }

  #nameOf(index: number): string | undefined {
    if (!this.#names.has(index)) this.#names.set(index, this.#netlink.interfaceName(index));
    return this.#names.get(index);
  }
}

interface FoundNeighbour extends KnownNeighbour {
  /** Only if the table contains it. */
  readonly interface: string | undefined;
}

/** Uses a table that is read as a whole. */
export class TableLinks implements Links {
  readonly #read: () => readonly FoundNeighbour[];
  #table: ReadonlyMap<string, FoundNeighbour> = new Map();
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(read: () => readonly FoundNeighbour[]) {
    this.#read = read;
  }

  find(address: Uint8Array, nowMs: number): Link {
    return this.complete(nothing, address, nowMs);
  }

  /** Adds what the table knows to a link. */
  complete(link: Link, address: Uint8Array, nowMs: number): Link {
    if (nowMs - this.#readMs >= maxTableAgeMs) {
      this.#table = new Map(this.#read().map((found) => [keyOf(found.address), found]));
      this.#readMs = nowMs;
    }
    const found = this.#table.get(keyOf(address));
    return { mac: found?.mac, interface: link.interface ?? found?.interface, isOpen: found === undefined };
  }

  neighbours(): readonly KnownNeighbour[] {
    return this.#read();
  }
}

/** fe80::/10 */
function isLinkLocal(address: Uint8Array): boolean {
  return address[0] === 0xfe && ((address[1] ?? 0) & 0xc0) === 0x80;
}

function keyOf(address: Uint8Array): string {
  return Buffer.from(address).toString('latin1');
}

/** IPv4 only: there is no such file for IPv6. */
function readArpTable(): readonly FoundNeighbour[] {
  try {
    return parseArpTable(readFileSync(arpFile, 'utf8'), maxNeighbours);
  } catch {
    return [];
  }
}
