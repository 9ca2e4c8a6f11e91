// How many connections there may be, overall and of one client: shared by all stream listeners of a thread.
// When all places are taken, the connection that has been idle longest makes room (RFC 7766 section 6.2.3);
// when none is idle, the new one has to go. A client is an IPv4 address or an IPv6 /64, because the holder of
// one address of a /64 has them all.

import type { ClientAddress } from '../client-address.ts';

export interface StreamLimitsOptions {
  readonly connections?: number;
  readonly connectionsPerClient?: number;
}

/** Something that has a place. */
export interface Placed {
  readonly client: ClientAddress;
  /** Neither a query waits for its answer nor an answer for its reader. */
  readonly isIdle: boolean;
  /** Closes the connection for want of room. */
  makeRoom(): void;
}

const defaultConnections = 512;
const defaultConnectionsPerClient = 32;

export class StreamLimits {
  readonly #connections: number;
  readonly #perClient: number;
  /** The one that was used longest ago first. */
  readonly #placed = new Set<Placed>();
  readonly #clients = new Map<string, number>();
  /** Connections that were refused or closed for want of room. */
  refused = 0;

  constructor(options: StreamLimitsOptions = {}) {
    this.#connections = options.connections ?? defaultConnections;
    this.#perClient = options.connectionsPerClient ?? defaultConnectionsPerClient;
  }

  get count(): number {
    return this.#placed.size;
  }

  /** False when there is no place for it. */
  enter(one: Placed): boolean {
    const key = clientKey(one.client);
    const others = this.#clients.get(key) ?? 0;
    if (others >= this.#perClient || !this.#hasRoom()) {
      this.refused += 1;
      return false;
    }
    this.#clients.set(key, others + 1);
    this.#placed.add(one);
    return true;
  }

  /** It was used just now. */
  touch(one: Placed): void {
    if (this.#placed.delete(one)) this.#placed.add(one);
  }

  leave(one: Placed): void {
    if (!this.#placed.delete(one)) return;
    const key = clientKey(one.client);
    const others = (this.#clients.get(key) ?? 1) - 1;
    if (others === 0) this.#clients.delete(key);
    else this.#clients.set(key, others);
  }

  #hasRoom(): boolean {
    if (this.#placed.size < this.#connections) return true;
    for (const one of this.#placed) {
      if (!one.isIdle) continue;
      this.leave(one);
      this.refused += 1;
      one.makeRoom();
      return true;
    }
    return false;
  }
}

function clientKey(client: ClientAddress): string {
  return client.isIpv4 ? `4 ${client.a3}` : `6 ${client.a0} ${client.a1}`;
}
