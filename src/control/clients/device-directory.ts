// The devices of the network as the API shows them: those that have asked lately, each with the addresses it
// asked from, its hardware address from the kernel's table of neighbours, and the names of its addresses.
// Names are looked up in the background; a reply has those that are known by then.

import { setTimeout as sleep } from 'node:timers/promises';
import { addressText, isIpv4, isLoopback, type SeenClient } from '#history/thread';
import { readClient } from './client-text.ts';
import { HostNames, type HostName, type LookUpName } from './host-names.ts';
import type { Link, Links } from '#platform/neighbours';

export interface DirectoryParts {
  readonly seen: { readonly list: () => Promise<readonly SeenClient[]> };
  /** Opened when they are needed for the first time. */
  readonly openLinks: () => Links;
  readonly lookUp: LookUpName;
  /** A name that was looked up is known now, or another one; undefined: there is none any more. */
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
  /** Whether there is a configured client of this text, in its canonical form. */
  readonly isConfigured: (text: string) => boolean;
}

/** How long a reply waits for names that are being looked up. */
export const namesMaxMs = 300;
/** Names of configured clients are asked for one by one. */
const neighboursMaxAgeMs = 250;

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

  /** Of an address (16 bytes); it is looked up when it is not known. */
  hostNameOf(address: Uint8Array): HostName {
    return this.#names.nameOf(address);
  }

  /** The hardware address of an address (16 bytes), and the interface by which it is reached. */
  linkOf(address: Uint8Array): Pick<Link, 'mac' | 'interface'> {
    this.#links ??= this.#parts.openLinks();
    const { mac, interface: through } = this.#links.find(address, this.#parts.nowMs());
    return { mac, interface: through };
  }

  /** The host name of a client that is configured by its address or MAC address; empty when it is unknown. */
  nameOf(client: string): string {
    const read = readClient(client);
    if (read?.kind === 'address' && 'words' in read)
      return this.#nameAt(Uint8Array.from(read.words.flatMap((word) => [word >> 8, word & 0xff]))) ?? '';
    if (read?.kind !== 'mac') return '';
    if (this.#parts.nowMs() - this.#neighboursMs >= neighboursMaxAgeMs) this.#lookAtNeighbours();
    const addresses = this.#addresses.get(read.text) ?? [];
    return addresses.map((key) => this.#nameAt(Buffer.from(key, 'latin1'))).find(Boolean) ?? '';
  }

  /** Devices that nobody has configured, the one that asked last first. */
  async suggestions({ count, isIpv4Only, isConfigured }: SuggestionsWanted): Promise<readonly Suggestion[]> {
    const devices = this.#devices(await this.#parts.seen.list(), isIpv4Only, isConfigured);
    for (const { addresses } of devices) this.#namesOf(addresses);
    await Promise.race([Promise.all(this.#lookups), sleep(namesMaxMs, undefined, { ref: false })]);
    const isKnown = (name: string): boolean =>
      isConfigured(name) || isConfigured(name.split('.', 1)[0] ?? name);
    return devices
      .map((device) => ({ device, names: this.#namesOf(device.addresses) }))
      .filter(({ names }) => !names.some(isKnown))
      .slice(0, count)
      .map(({ device, names }) => suggestionOf(device, names));
  }

  /** Addresses of the same hardware address are one device. */
  #devices(
    seen: readonly SeenClient[],
    isIpv4Only: boolean,
    isConfigured: (text: string) => boolean,
  ): readonly Device[] {
    this.#lookAtNeighbours();
    const devices = new Map<string, Device>();
    // This machine is no device on the network.
    for (const { address, lastQueryMs } of seen.filter((one) => !isLoopback(one.address))) {
      const mac = this.#macs.get(keyOf(address));
      const text = addressText(address);
      if (isConfigured(text) || (mac !== undefined && isConfigured(mac))) continue;
      if (isIpv4Only && !isIpv4(address)) continue;
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

  #lookAtNeighbours(): void {
    this.#links ??= this.#parts.openLinks();
    this.#macs = new Map(this.#links.neighbours().map(({ address, mac }) => [keyOf(address), mac]));
    this.#addresses = Map.groupBy(this.#macs.keys(), (address) => this.#macs.get(address));
    this.#neighboursMs = this.#parts.nowMs();
  }
}

const keyOf = (address: Uint8Array): string => Buffer.from(address).toString('latin1');

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
