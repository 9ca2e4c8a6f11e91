// The clients in the stored queries, and their group sets in both policies. MAC address and interface are
// those that the kernel reports now; the host name is the one in the history.

import type { PolicyClient } from '#policy';
import { readClient } from '../clients/client-text.ts';
import type { Links } from '#platform/neighbours';
import { IdNumbers } from './id-numbers.ts';
import type { Judge } from './judge.ts';
import type { Policies } from './policies.ts';

/** Further clients count as not configured: no home network has so many. */
const maxClients = 100_000;

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

  /** `id`: in the history. -1 when the client is new. */
  pairOf(id: number): number {
    return this.#pairs.get(id);
  }

  add(id: number, client: MetClient): void {
    const { before, after } = this.#policies;
    const traits = this.#texts.size < maxClients ? this.#identify(client) : unknownClient;
    this.#pairs.set(id, this.#judge.pairOf(before.groupsOf(traits), after.groupsOf(traits)));
    this.#texts.set(id, client);
  }

  textOf(id: number): MetClient {
    return this.#texts.get(id) ?? { ip: '', name: '' };
  }

  #identify({ ip, name }: MetClient): PolicyClient {
    const read = readClient(ip);
    if (read === undefined || !('words' in read)) return unknownClient;
    const address = Uint8Array.from(read.words.flatMap((word) => [word >> 8, word & 0xff]));
    this.#links ??= this.#tools.links();
    const link = this.#links.find(address, this.#tools.nowMs());
    const hostName = name === '' ? undefined : name;
    return { address, name: undefined, mac: link.mac, interface: link.interface, hostName };
  }
}

const unknownClient: PolicyClient = { address: noAddress, name: undefined };
