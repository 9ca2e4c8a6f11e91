// The devices of the network as the API shows them: those that sent queries recently, each with its
// addresses, its MAC address from the kernel's neighbour table, and the names of its addresses. Names are
// looked up in the background; a reply contains those that are known by then.

import { setTimeout as sleep } from 'node:timers/promises';
import { addressText, isMappedIpv4 } from '#wire';
import { isLoopback, type SeenClient } from '#history/thread';
import { readClient } from './client-text.ts';
import { HostNames, type HostName, type LookUpName } from './host-names.ts';
import type { Link, Links } from '#platform/neighbours';

export interface DirectoryParts {
  readonly seen: { readonly list: () => Promise<readonly SeenClient[]> };
  /** Called when links are first needed. */
  readonly openLinks: () => Links;
  readonly lookUp: LookUpName;
  /** Called when a lookup finds a new or changed name; undefined: the address has no name any more. */
  readonly onName?: (address: Uint8Array, name: string | undefined) => void;
  readonly nowMs: () => number;
}

export interface Suggestion {
  readonly hwaddr: string;
  readonly macVendor: null;
  readonly lastQuery: number;
  readonly addresses: string;
  readonly names: string | null;
}

export interface SuggestionsWanted {
  readonly count: number;
  readonly isIpv4Only: boolean;
  /** Whether a client with this canonical text is configured. */
  readonly isConfigured: (text: string) => boolean;
}

/** How long a reply waits for names that are being looked up. */
export const maxNamesMs = 300;
/** Names of configured clients are requested one by one; the neighbour table is not read for each. */
const maxNeighboursAgeMs = 250;

interface Device {
  readonly mac: string | undefined;
  readonly lastQueryMs: number;
  readonly addresses: Uint8Array[];
}

export class DeviceDirectory {
  readonly #parts: DirectoryParts;
  readonly #names: HostNames;
  readonly #lookups = new Set<Promise<void>>();
  #links: Links | undefined;
  #macs: ReadonlyMap<string, string> = new Map();
  #addresses: ReadonlyMap<string | undefined, readonly string[]> = new Map();
  #neighboursMs = Number.NEGATIVE_INFINITY;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#names = new HostNames({
      lookUp: (address, done) => this.#lookUp(address, done),
      onName: (address) => parts.onName?.(address, this.hostNameOf(address).name),
      nowMs: parts.nowMs,
    });
  }

  /** The name of an address (16 bytes); starts a lookup when it is unknown. */
  hostNameOf(address: Uint8Array): HostName {
    return this.#names.nameOf(address);
  }

  /** The MAC address of an address (16 bytes), and the interface that leads to it. */
  linkOf(address: Uint8Array): Pick<Link, 'mac' | 'interface'> {
    this.#links ??= this.#parts.openLinks();
    const { mac, interface: through } = this.#links.find(address, this.#parts.nowMs());
    return { mac, interface: through };
  }

  /** The host name of a client configured by address or MAC address; '' when it is unknown. */
  nameOf(client: string): string {
    const read = readClient(client);
    if (read?.kind === 'address' && 'words' in read)
      return this.#nameAt(Uint8Array.from(read.words.flatMap((word) => [word >> 8, word & 0xff]))) ?? '';
    if (read?.kind !== 'mac') return '';
    if (this.#parts.nowMs() - this.#neighboursMs >= maxNeighboursAgeMs) this.#readNeighbours();
    const addresses = this.#addresses.get(read.text) ?? [];
    return addresses.map((key) => this.#nameAt(Buffer.from(key, 'latin1'))).find(Boolean) ?? '';
  }

  /** Devices that are not configured as clients, the one with the latest query first. */
  async suggestions({ count, isIpv4Only, isConfigured }: SuggestionsWanted): Promise<readonly Suggestion[]> {
    const devices = this.#devices(await this.#parts.seen.list(), isIpv4Only, isConfigured);
    for (const { addresses } of devices) this.#namesOf(addresses);
    await Promise.race([Promise.all(this.#lookups), sleep(maxNamesMs, undefined, { ref: false })]);
    const isKnown = (name: string): boolean =>
      isConfigured(name) || isConfigured(name.split('.', 1)[0] ?? name);
    return devices
      .map((device) => ({ device, names: this.#namesOf(device.addresses) }))
      .filter(({ names }) => !names.some(isKnown))
      .slice(0, count)
      .map(({ device, names }) => suggestionOf(device, names));
  }

  /** Addresses with the same MAC address are one device. */
  #devices(
    seen: readonly SeenClient[],
    isIpv4Only: boolean,
    isConfigured: (text: string) => boolean,
  ): readonly Device[] {
    this.#readNeighbours();
    const devices = new Map<string, Device>();
    // This machine itself is not listed.
    for (const { address, lastQueryMs } of seen.filter((one) => !isLoopback(one.address))) {
      const mac = this.#macs.get(keyOf(address));
      const text = addressText(address);
      if (isConfigured(text) || (mac !== undefined && isConfigured(mac))) continue;
      if (isIpv4Only && !isMappedIpv4(address, 0)) continue;
      const device = devices.get(mac ?? text);
      if (device === undefined) devices.set(mac ?? text, { mac, lastQueryMs, addresses: [address] });
      else device.addresses.push(address);
    }
    return [...devices.values()];
  }

  #namesOf(addresses: readonly Uint8Array[]): readonly string[] {
    return [...new Set(addresses.map((address) => this.#nameAt(address)))].filter(
      (name) => name !== undefined,
    );
  }

  #nameAt(address: Uint8Array): string | undefined {
    return this.hostNameOf(address).name;
  }

  #lookUp(address: Uint8Array, done: Parameters<LookUpName>[1]): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lookups.add(promise);
    this.#parts.lookUp(address, (outcome) => {
      done(outcome);
      this.#lookups.delete(promise);
      resolve();
    });
  }

  #readNeighbours(): void {
    this.#links ??= this.#parts.openLinks();
    this.#macs = new Map(this.#links.neighbours().map(({ address, mac }) => [keyOf(address), mac]));
    this.#addresses = Map.groupBy(this.#macs.keys(), (address) => this.#macs.get(address));
    this.#neighboursMs = this.#parts.nowMs();
  }
}

function keyOf(address: Uint8Array): string {
  return Buffer.from(address).toString('latin1');
}

function suggestionOf({ mac, lastQueryMs, addresses }: Device, names: readonly string[]): Suggestion {
  const texts = addresses.map(addressText);
  return {
    hwaddr: mac ?? `ip-${texts[0] ?? ''}`,
    macVendor: null,
    lastQuery: Math.floor(lastQueryMs / 1000),
    addresses: texts.join(','),
    names: names.length === 0 ? null : names.join(','),
  };
}
