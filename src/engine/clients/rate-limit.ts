// The limit on what one client may ask: a token bucket per IPv4 address or IPv6 /64 (a host may have as many
// addresses in its /64 as it likes). A burst within the allowance passes, and a client over it gets what
// refills.

import type { ClientAddress } from '../client-address.ts';
import type { Time } from '../time.ts';
import { RowTable } from './row-table.ts';

export interface RateLimitOptions {
  /** Queries per interval; 0: no limit. */
  readonly count: number;
  readonly intervalSeconds: number;
  /** Addresses and networks that may ask as much as they like. */
  readonly exempt: readonly string[];
  /** Routers of this network: one that is over the limit probably asks for many. */
  readonly routers: readonly string[];
}

export class RateLimit {
  readonly #rows: RowTable;
  readonly #tokens: Float64Array;
  readonly #filledMs: Float64Array;
  #count = 0;
  #perMs = 0;

  constructor(rows: number, seed: number) {
    this.#rows = new RowTable(rows, seed);
    this.#tokens = new Float64Array(this.#rows.rows);
    this.#filledMs = new Float64Array(this.#rows.rows);
  }

  /** Buckets stay as they are unless the limit itself is another one. */
  set({ count, intervalSeconds }: RateLimitOptions): void {
    const perMs = count > 0 && intervalSeconds > 0 ? count / (intervalSeconds * 1000) : 0;
    if (count !== this.#count || perMs !== this.#perMs) this.#rows.forget();
    this.#count = count;
    this.#perMs = perMs;
  }

  /** Counts one query of the client; true when it is over the limit. */
  isOver(client: ClientAddress, time: Time): boolean {
    if (this.#perMs === 0) return false;
    const { nowMs } = time;
    const row = this.#rowOf(client, time);
    const sinceMs = nowMs - (this.#filledMs[row] ?? 0);
    const tokens = Math.min(this.#count, (this.#tokens[row] ?? 0) + sinceMs * this.#perMs);
    const isOver = tokens < 1;
    this.#filledMs[row] = nowMs;
    this.#tokens[row] = isOver ? tokens : tokens - 1;
    return isOver;
  }

  #rowOf(client: ClientAddress, time: Time): number {
    const found = client.isIpv4
      ? this.#rows.find(0, 0, 0xffff, client.a3)
      : this.#rows.find(client.a0, client.a1, 1, 0);
    if (found >= 0) return found;
    const row = -1 - found;
    this.#tokens[row] = this.#count;
    this.#filledMs[row] = time.nowMs;
    return row;
  }
}
