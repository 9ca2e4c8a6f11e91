// Identifies the client behind an address, in one dns worker. MAC address and interface are read from the
// kernel before the rules are chosen; host names are looked up in the background. Only what some configured
// client is identified by is looked up, so that a network without such clients pays nothing.

import { unknownTraits, type FoundTraits } from '#engine';
import type { PlannedClient } from './policy-plan.ts';
import { HostNames, type HostNamesParts } from '../clients/host-names.ts';
import type { Link, Links } from '#platform/neighbours';
import { PerSecond } from '../clients/per-second.ts';

export interface IdentifierParts extends HostNamesParts {
  /** Called when links are first needed. */
  readonly openLinks: () => Links;
}

export const maxKnownLinks = 16_384;
/** About 15 microseconds each: a flood of forged addresses costs at most 3 % of a core. */
export const maxLinksPerSecond = 2_000;
/** The kernel is not queried again within this time. */
const freshForMs = 20;
/** When the kernel drops a neighbour entry, the device is still the same: another would have an entry. */
const macKeptForMs = 600_000;
const noLink: Link = { mac: undefined, interface: undefined, isOpen: false };

interface KnownLink {
  readonly link: Link;
  readonly lookedMs: number;
  /** When the kernel last reported the MAC address. */
  readonly macMs: number;
}

export class ClientIdentifier {
  readonly #parts: IdentifierParts;
  readonly #names: HostNames;
  readonly #known = new Map<string, KnownLink>();
  readonly #rate = new PerSecond(maxLinksPerSecond);
  #links: Links | undefined;
  #needsLinks = false;
  #needsNames = false;
  #naming = '';

  constructor(parts: IdentifierParts) {
    this.#parts = parts;
    this.#names = new HostNames(parts);
  }

  /** `naming`: a digest of everything that host names depend on; when it changes, all are looked up again. */
  setClients(clients: readonly PlannedClient[], naming: string): void {
    this.#needsLinks = clients.some((client) => client.mac !== undefined || client.interface !== undefined);
    this.#needsNames = clients.some(({ hostName }) => hostName !== undefined);
    if (naming !== this.#naming) this.#names.expireAll();
    this.#naming = naming;
  }

  identify(address: Uint8Array): FoundTraits {
    if (!this.#needsLinks && !this.#needsNames) return unknownTraits;
    const link = this.#needsLinks ? this.#linkOf(address) : noLink;
    const host = this.#needsNames ? this.#names.nameOf(address) : { name: undefined, isOpen: false };
    return {
      mac: link.mac,
      interface: link.interface,
      hostName: host.name,
      isSettled: !link.isOpen && !host.isOpen,
    };
  }

  #linkOf(address: Uint8Array): Link {
    const nowMs = this.#parts.nowMs();
    const key = Buffer.from(address).toString('latin1');
    const before = this.#known.get(key);
    if (before !== undefined && nowMs - before.lookedMs < freshForMs) return before.link;
    if (!this.#rate.tryAcquire(nowMs)) return before?.link ?? { ...noLink, isOpen: true };
    this.#links ??= this.#parts.openLinks();
    const known = merged(this.#links.find(address, nowMs), before, nowMs);
    this.#store(key, known);
    return known.link;
  }

  #store(key: string, known: KnownLink): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnownLinks && oldest !== undefined) this.#known.delete(oldest);
  }
}

function merged(found: Link, before: KnownLink | undefined, nowMs: number): KnownLink {
  const isForgotten = found.isOpen && found.mac === undefined;
  if (!isForgotten || before?.link.mac === undefined || nowMs - before.macMs > macKeptForMs)
    return { link: found, lookedMs: nowMs, macMs: nowMs };
  return { link: { ...found, mac: before.link.mac }, lookedMs: nowMs, macMs: before.macMs };
}
