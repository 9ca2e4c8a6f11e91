// Identifies the client behind an address, in one dns worker. MAC address and interface are read from the
// kernel before the rules are chosen; host names are looked up in the background. Only what some configured
// client or some own rule is identified by is looked up, so that a network without them pays nothing.

import { unknownTraits, type FoundTraits } from '#engine';
import { kindOfWord } from '#policy';
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

  /**
   * `naming`: a digest of everything that host names depend on; when it changes, all are looked up again.
   * `ruled`: the clients that own rules name, see `WorkerPolicy.clientNames`.
   */
  setClients(
    clients: readonly PlannedClient[],
    naming: string,
    ruled: ReadonlySet<string> = new Set(),
  ): void {
    const hosts = hostNamesIn(ruled, clients);
    const isLinked = [...ruled].some((word) => ['mac', 'interface'].includes(kindOfWord(word)));
    this.#needsLinks =
      isLinked || clients.some((client) => client.mac !== undefined || client.interface !== undefined);
    this.#needsNames = hosts.length > 0 || clients.some(({ hostName }) => hostName !== undefined);
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

/** The text or comment of a configured client is no host name: nothing has to be looked up for it. */
function hostNamesIn(ruled: ReadonlySet<string>, clients: readonly PlannedClient[]): readonly string[] {
  const names = [...ruled].filter((word) => kindOfWord(word) === 'name');
  if (names.length === 0) return names;
  const labels = new Set(clients.flatMap((client) => client.labels.map((label) => label.toLowerCase())));
  return names.filter((name) => !labels.has(name));
}

function merged(found: Link, before: KnownLink | undefined, nowMs: number): KnownLink {
  const isForgotten = found.isOpen && found.mac === undefined;
  if (!isForgotten || before?.link.mac === undefined || nowMs - before.macMs > macKeptForMs)
    return { link: found, lookedMs: nowMs, macMs: nowMs };
  return { link: { ...found, mac: before.link.mac }, lookedMs: nowMs, macMs: before.macMs };
}
