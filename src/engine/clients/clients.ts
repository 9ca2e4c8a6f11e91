// What is known of each client, found by its address once per query: whether it is answered, whether it is
// limited, and which rules hold for it. Found out when it first asks, and again after a change of settings,
// subnets or policy.

import type { Policy } from '#policy';
import type { Asker } from '../asker.ts';
import type { ClientAddress } from '../client-address.ts';
import { createAccess, parseNetworks, type AccessOptions } from './access.ts';
import { LimitNotices } from './limit-notices.ts';
import { containsAny } from './networks.ts';
import type { Time } from '../time.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';
import { RowTable } from './row-table.ts';

export interface ClientOptions {
  readonly access: AccessOptions;
  readonly rateLimit: RateLimitOptions;
}

/** How many clients are remembered by a worker; more are found out again each time they ask. */
const clientRows = 16_384;

export const Welcome = { answered: 0, stranger: 1, overLimit: 2 } as const;

const Fact = { stranger: 1, free: 2 } as const;

export class Clients {
  readonly #rows: RowTable;
  readonly #facts: Uint8Array;
  readonly #groups: Int32Array;
  readonly #limit: RateLimit;
  readonly #notices: LimitNotices;
  readonly #addressBytes = new Uint8Array(16);
  #isAnswered: (client: ClientAddress) => boolean = () => false;
  #isFree: (client: ClientAddress) => boolean = () => false;
  #policy: Policy;
  #policyVersion = -1;
  #rateLimit: RateLimitOptions = { count: 0, intervalSeconds: 0, exempt: [], routers: [] };
  /** The groups of the client that was welcomed last. */
  groups = 0;

  constructor(policy: Policy, seed: number, notice: (text: string) => void) {
    this.#policy = policy;
    this.#notices = new LimitNotices(notice);
    this.#rows = new RowTable(clientRows, seed);
    this.#facts = new Uint8Array(this.#rows.rows);
    this.#groups = new Int32Array(this.#rows.rows);
    this.#limit = new RateLimit(clientRows, seed);
  }

  set({ access, rateLimit }: ClientOptions): void {
    const exempt = parseNetworks(rateLimit.exempt);
    this.#isAnswered = createAccess(access);
    this.#isFree = (client) => client.isLoopback || containsAny(exempt, client);
    this.#limit.set(rateLimit);
    this.#rateLimit = rateLimit;
    this.#rows.forget();
  }

  usePolicy(policy: Policy): void {
    this.#policy = policy;
    this.#policyVersion = -1;
  }

  /** Says what is to be done with the asker's query, and puts its groups into `groups`. */
  welcome(asker: Asker, time: Time): number {
    if (this.#policy.version !== this.#policyVersion) this.#followPolicy();
    const { client } = asker;
    const found = this.#rows.find(client.a0, client.a1, client.a2, client.a3);
    const row = found >= 0 ? found : this.#learn(-1 - found, client);
    const facts = this.#facts[row] ?? 0;
    const { clientName } = asker;
    this.groups = clientName === undefined ? (this.#groups[row] ?? 0) : this.#groupsOf(client, clientName);
    if (facts === Fact.free) return Welcome.answered;
    if ((facts & Fact.stranger) !== 0) return Welcome.stranger;
    if (!this.#limit.isOver(client, time)) return Welcome.answered;
    this.#notices.onRefused(client, this.#rateLimit, time.nowMs);
    return Welcome.overLimit;
  }

  /** The same for people who want to know: nothing is learned or counted. */
  lookAt(client: ClientAddress): { readonly isAnswered: boolean; readonly groups: number } {
    return { isAnswered: this.#isAnswered(client), groups: this.#groupsOf(client, undefined) };
  }

  #followPolicy(): void {
    this.#policyVersion = this.#policy.version;
    this.#rows.forget();
  }

  #learn(row: number, client: ClientAddress): number {
    const isStranger = !this.#isAnswered(client);
    this.#facts[row] = (isStranger ? Fact.stranger : 0) | (this.#isFree(client) ? Fact.free : 0);
    this.#groups[row] = this.#groupsOf(client, undefined);
    return row;
  }

  /** Many clients with names of their own may share an address, so that only the nameless are remembered. */
  #groupsOf(client: ClientAddress, name: string | undefined): number {
    client.writeTo(this.#addressBytes, 0);
    return this.#policy.groupsOf({ address: this.#addressBytes, name });
  }
}
