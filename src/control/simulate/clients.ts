// The clients that were met: which group sets they have in either policy. What an address is known by besides
// (hardware address, interface) is what the kernel says now; the host name is the one in the history.

import type { PolicyClient } from '#policy';
import { readClient } from '../clients/client-text.ts';
import type { Links } from '#platform/neighbours';
import { IdNumbers } from './id-numbers.ts';
import type { Judge } from './judge.ts';
import type { Policies } from './policies.ts';

/** Beyond that everybody counts as a client that is not configured: such a crowd is none of the house. */
const mostClients = 100_000;

export interface MetClient {
  readonly ip: string;
  readonly name: string;
}

export interface ClientTools {
  readonly links: () => Links;
  readonly nowMs: () => number;
}

const noAddress = new Uint8Array(16);

export class MetClients {
  readonly #policies: Policies;
  readonly #judge: Judge;
  readonly #tools: ClientTools;
  readonly #pairs = new IdNumbers();
  readonly #texts = new Map<number, MetClient>();
  #links: Links | undefined;

  constructor(policies: Policies, judge: Judge, tools: ClientTools) {
    this.#policies = policies;
    this.#judge = judge;
    this.#tools = tools;
  }

  /** By its number in the history; -1 when it is new. */
  pairOf(id: number): number {
    return this.#pairs.get(id);
  }

  add(id: number, client: MetClient): void {
    const { before, after } = this.#policies;
    const who = this.#texts.size < mostClients ? this.#whoIs(client) : nobody;
    this.#pairs.set(id, this.#judge.pairOf(before.groupsOf(who), after.groupsOf(who)));
    this.#texts.set(id, client);
  }

  textOf(id: number): MetClient {
    return this.#texts.get(id) ?? { ip: '', name: '' };
  }

  #whoIs({ ip, name }: MetClient): PolicyClient {
    const read = readClient(ip);
    if (read === undefined || !('words' in read)) return nobody;
    const address = Uint8Array.from(read.words.flatMap((word) => [word >> 8, word & 0xff]));
    this.#links ??= this.#tools.links();
    const link = this.#links.find(address, this.#tools.nowMs());
    const hostName = name === '' ? undefined : name;
    return { address, name: undefined, mac: link.mac, interface: link.interface, hostName };
  }
}

const nobody: PolicyClient = { address: noAddress, name: undefined };
