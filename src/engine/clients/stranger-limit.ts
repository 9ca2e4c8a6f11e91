// How often clients without access get an answer that says so. Over UDP the sender of a query may be forged:
// an attacker that sends many queries with the address of a victim has us send as many answers there. So a
// network (IPv4 /24, IPv6 /56: what one customer has) gets some answers a second; of what comes beyond that
// only one in `slip` is answered, so that an honest client in a network under attack still learns that it is
// refused.

import type { ClientAddress } from '../client-address.ts';
import type { Time } from '../time.ts';
import { RowTable } from './row-table.ts';

export interface StrangerOptions {
  /** Answers for each network; 0: none but those that slip through. */
  readonly perSecond: number;
  /** One in so many beyond that is answered; 0: none. */
  readonly slip: number;
}

/** Networks that a worker remembers; a flood of forged ones pushes out those that asked longest ago. */
const networkRows = 4096;
const ipv4Mask = ~0xff;
const ipv6Mask = ~0xff;

export class StrangerLimit {
  readonly #rows: RowTable;
  readonly #tokens: Float64Array;
  readonly #filledMs: Float64Array;
  readonly #unanswered: Uint32Array;
  #options: StrangerOptions = { perSecond: 0, slip: 0 };

  constructor(seed: number) {
    this.#rows = new RowTable(networkRows, seed);
    this.#tokens = new Float64Array(this.#rows.rows);
    this.#filledMs = new Float64Array(this.#rows.rows);
    this.#unanswered = new Uint32Array(this.#rows.rows);
  }

  set(options: StrangerOptions): void {
    const { perSecond, slip } = this.#options;
    if (options.perSecond !== perSecond || options.slip !== slip) this.#rows.forget();
    this.#options = options;
  }

  /** Counts one query; true when it is answered. */
  mayAnswer(client: ClientAddress, time: Time): boolean {
    const { perSecond, slip } = this.#options;
    const row = this.#rowOf(client, time);
    const sinceMs = time.nowMs - (this.#filledMs[row] ?? 0);
    const tokens = Math.min(perSecond, (this.#tokens[row] ?? 0) + (sinceMs * perSecond) / 1000);
    const isWithin = tokens >= 1;
    this.#filledMs[row] = time.nowMs;
    this.#tokens[row] = isWithin ? tokens - 1 : tokens;
    if (isWithin) return true;
    const unanswered = (this.#unanswered[row] ?? 0) + 1;
    const slips = slip > 0 && unanswered >= slip;
    this.#unanswered[row] = slips ? 0 : unanswered;
    return slips;
  }

  #rowOf(client: ClientAddress, time: Time): number {
    const found = client.isIpv4
      ? this.#rows.find(0, 0, 0xffff, client.a3 & ipv4Mask)
      : this.#rows.find(client.a0, client.a1 & ipv6Mask, 1, 0);
    if (found >= 0) return found;
    const row = -1 - found;
    this.#tokens[row] = this.#options.perSecond;
    this.#filledMs[row] = time.nowMs;
    this.#unanswered[row] = 0;
    return row;
  }
}
