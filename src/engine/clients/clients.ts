// What is known of each client, found by its address once per query: whether it is answered, whether it is
// limited, and which rules hold for it. Found out when it first asks, and again after a change of settings,
// subnets or policy; and about every minute where rules hang on more than the address, because addresses
// move from device to device.

import type { ClientPrivacy, Policy, PolicyClient } from '#policy';
import type { QuerySource } from '../query-source.ts';
import { ClientAddress } from '../client-address.ts';
import { unknownTraits, type Identify } from './identity.ts';
import { createAccess, parseNetworks, type AccessOptions } from './access.ts';
import { LimitNotices } from './limit-notices.ts';
import { containsAny } from '../net/networks.ts';
import type { Time } from '../time.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';
import { RowTable } from './row-table.ts';
import { StrangerLimit, type StrangerOptions } from './stranger-limit.ts';

export interface ClientOptions {
  readonly access: AccessOptions;
  readonly rateLimit: RateLimitOptions;
  readonly strangers: StrangerOptions;
}

/** How many clients are remembered by a worker; more are found out again each time they ask. */
const clientRows = 16_384;

/** Unanswered: a stranger whose network has had its answers. */
export const Welcome = { answered: 0, stranger: 1, overLimit: 2, unanswered: 3 } as const;

/** Unsettled: more will be known of it in a moment. */
const Fact = { stranger: 1, free: 2, unsettled: 4 } as const;

/** Those that are not settled are looked at again once per round, so often. */
const roundMs = 25;
const maxTries = 80;
/** How long is believed what the network says of an address. */
const maxTraitsAgeMs = 60_000;

export class Clients {
  readonly #rows: RowTable;
  readonly #facts: Uint8Array;
  readonly #groups: Int32Array;
  readonly #limit: RateLimit;
  readonly #strangers: StrangerLimit;
  readonly #notices: LimitNotices;
  readonly #addressBytes = new Uint8Array(16);
  readonly #identify: Identify;
  readonly #triesLeft: Uint8Array;
  readonly #triedIn: Int32Array;
  readonly #forgotten = new ClientAddress();
  #round = 0;
  #nextRoundMs = 0;
  #lookAgainMs = 0;
  /** Something is known of a client besides its address. */
  #hasTraits = false;
  /** Of the client that was looked at last. */
  #isSettled = true;
  #level = 0;
  #isAnswered: (client: ClientAddress) => boolean = () => false;
  #isFree: (client: ClientAddress) => boolean = () => false;
  #policy: Policy;
  #policyVersion = -1;
  #rateLimit: RateLimitOptions = { count: 0, intervalSeconds: 0, exempt: [], routers: [] };
  #privacy: ClientPrivacy | undefined;
  readonly #levels: Uint8Array;
  /** The groups of the client that was welcomed last. */
  groups = 0;
  /** What may not be remembered of it, 0 to 3. */
  privacy = 0;

  constructor(policy: Policy, seed: number, notice: (text: string) => void, identify?: Identify) {
    this.#policy = policy;
    this.#identify = identify ?? (() => unknownTraits);
    this.#notices = new LimitNotices(notice);
    this.#rows = new RowTable(clientRows, seed);
    this.#facts = new Uint8Array(this.#rows.rows);
    this.#groups = new Int32Array(this.#rows.rows);
    this.#levels = new Uint8Array(this.#rows.rows);
    this.#triesLeft = new Uint8Array(this.#rows.rows);
    this.#triedIn = new Int32Array(this.#rows.rows);
    this.#limit = new RateLimit(clientRows, seed);
    this.#strangers = new StrangerLimit(seed);
  }

  set({ access, rateLimit, strangers }: ClientOptions): void {
    const exempt = parseNetworks(rateLimit.exempt);
    this.#isAnswered = createAccess(access);
    this.#isFree = (client) => client.isLoopback || containsAny(exempt, client);
    this.#limit.set(rateLimit);
    this.#strangers.set(strangers);
    this.#rateLimit = rateLimit;
    this.#rows.forget();
  }

  /** Without `privacy` the groups of no client want anything hidden. */
  usePolicy(policy: Policy, privacy?: ClientPrivacy): void {
    this.#policy = policy;
    this.#privacy = privacy;
    this.#policyVersion = -1;
  }

  /** To be called before a batch of queries: what the network says of clients is read again at intervals. */
  beginBatch(time: Time): void {
    if (time.nowMs >= this.#nextRoundMs) this.#beginRound(time.nowMs);
  }

  /** More is known of this address (16 bytes) than when it was looked at. */
  forgetAddress(address: Uint8Array): void {
    const client = this.#forgotten;
    client.readFrom(address, 0, 16);
    this.#rows.forgetOne(client.a0, client.a1, client.a2, client.a3);
  }

  /** Says what is to be done with the query, and puts its groups into `groups`. */
  welcome(source: QuerySource, time: Time): number {
    if (this.#policy.version !== this.#policyVersion) this.#applyPolicy();
    const { client } = source;
    const found = this.#rows.find(client.a0, client.a1, client.a2, client.a3);
    const row = found >= 0 ? found : this.#learn(-1 - found, client);
    let facts = this.#facts[row] ?? 0;
    if (facts >= Fact.unsettled) facts = this.#settle(row, client);
    this.#setIdentity(row, client, source.clientName);
    if (facts === Fact.free) return Welcome.answered;
    const isStranger = (facts & Fact.stranger) !== 0;
    if (!isStranger && !this.#limit.isOver(client, time)) return Welcome.answered;
    source.onUnwelcome?.();
    if (isStranger) return this.#refuse(source, time);
    this.#notices.onRefused(client, this.#rateLimit, time.nowMs);
    return Welcome.overLimit;
  }

  /** A client that has shown that its address is its own has a connection, and is read slowly besides. */
  #refuse({ transport, client }: QuerySource, time: Time): number {
    const isAnswered = transport.provesAddress || this.#strangers.mayAnswer(client, time);
    return isAnswered ? Welcome.stranger : Welcome.unanswered;
  }

  #setIdentity(row: number, client: ClientAddress, name: string | undefined): void {
    if (name === undefined) {
      this.groups = this.#groups[row] ?? 0;
      this.privacy = this.#levels[row] ?? 0;
    } else {
      this.groups = this.#groupsOf(client, name);
      this.privacy = this.#level;
    }
  }

  /** What is known of a client, for an explanation: nothing is learned or counted. */
  preview(client: ClientAddress): { readonly isAnswered: boolean; readonly who: PolicyClient } {
    const address = new Uint8Array(16);
    client.writeTo(address, 0);
    const { mac, hostName, interface: through } = this.#identify(address);
    const who = { address, name: undefined, mac, hostName, interface: through };
    return { isAnswered: this.#isAnswered(client), who };
  }

  #applyPolicy(): void {
    this.#policyVersion = this.#policy.version;
    this.#rows.forget();
  }

  #beginRound(nowMs: number): void {
    this.#round = (this.#round + 1) | 0;
    this.#nextRoundMs = nowMs + roundMs;
    if (nowMs < this.#lookAgainMs) return;
    this.#lookAgainMs = nowMs + maxTraitsAgeMs;
    if (this.#hasTraits) this.#rows.forget();
    this.#hasTraits = false;
  }

  #learn(row: number, client: ClientAddress): number {
    this.#triesLeft[row] = maxTries;
    this.#lookUp(row, client);
    return row;
  }

  /** A stranger gets no answer, whatever device it is. */
  #lookUp(row: number, client: ClientAddress): number {
    const isStranger = !this.#isAnswered(client);
    const groups = isStranger ? 0 : this.#groupsOf(client, undefined);
    const isUnsettled = !isStranger && !this.#isSettled && (this.#triesLeft[row] ?? 0) > 0;
    const facts =
      (isStranger ? Fact.stranger : 0) |
      (this.#isFree(client) ? Fact.free : 0) |
      (isUnsettled ? Fact.unsettled : 0);
    this.#groups[row] = groups;
    this.#levels[row] = isStranger ? 0 : this.#level;
    this.#facts[row] = facts;
    this.#triedIn[row] = this.#round;
    return facts & ~Fact.unsettled;
  }

  /** Tries once per round to find out more; what is known so far holds meanwhile. */
  #settle(row: number, client: ClientAddress): number {
    const facts = this.#facts[row] ?? 0;
    if (this.#triedIn[row] === this.#round) return facts & ~Fact.unsettled;
    this.#triesLeft[row] = (this.#triesLeft[row] ?? 1) - 1;
    return this.#lookUp(row, client);
  }

  /** Many clients with names of their own may share an address, so that only the nameless are remembered. */
  #groupsOf(client: ClientAddress, name: string | undefined): number {
    const address = this.#addressBytes;
    client.writeTo(address, 0);
    const traits = this.#identify(address);
    this.#isSettled = traits.isSettled;
    if (traits !== unknownTraits) this.#hasTraits = true;
    const { mac, hostName } = traits;
    const who = { address, name, mac, hostName, interface: traits.interface };
    this.#level = this.#privacy?.levelOf(who) ?? 0;
    return this.#policy.groupsOf(who);
  }
}
