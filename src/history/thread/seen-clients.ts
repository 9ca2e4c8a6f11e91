// Clients that sent queries recently, from the records of the workers: addresses and the time of the last
// query, for a bounded number of clients. In memory only.

import type { RowTable } from '#engine';

export interface SeenClient {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  /** By the wall clock. */
  readonly lastQueryMs: number;
}

/** Above this, the clients whose last query is oldest are dropped. */
export const maxSeenClients = 2_048;

export class SeenClients {
  #table: RowTable | undefined;
  #words = new Int32Array(0);
  #lastMs = new Float64Array(0);

  /** The memory is allocated when DNS is on; clients that were seen before stay. */
  begin(makeTable: (rows: number) => RowTable): void {
    if (this.#table !== undefined) return;
    this.#table = makeTable(maxSeenClients);
    this.#words = new Int32Array(this.#table.rows * 4);
    this.#lastMs = new Float64Array(this.#table.rows);
  }

  /** Four words of an address in network order. Called for each query: allocates nothing. */
  note(a0: number, a1: number, a2: number, a3: number, timeMs: number): void {
    if (this.#table === undefined) return;
    const found = this.#table.find(a0, a1, a2, a3);
    if (found >= 0) {
      // Records of several workers are not in order.
      if (timeMs > (this.#lastMs[found] ?? 0)) this.#lastMs[found] = timeMs;
      return;
    }
    const row = -1 - found;
    this.#lastMs[row] = timeMs;
    this.#words[row * 4] = a0;
    this.#words[row * 4 + 1] = a1;
    this.#words[row * 4 + 2] = a2;
    this.#words[row * 4 + 3] = a3;
  }

  /** The newest first. */
  list(): readonly SeenClient[] {
    const seen: SeenClient[] = [];
    for (const [row, lastQueryMs] of this.#lastMs.entries())
      if (lastQueryMs > 0) seen.push({ address: this.#addressOf(row), lastQueryMs });
    return seen.toSorted((one, other) => other.lastQueryMs - one.lastQueryMs);
  }

  #addressOf(row: number): Uint8Array {
    const bytes = new Uint8Array(16);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < 4; at++) view.setInt32(at * 4, this.#words[row * 4 + at] ?? 0);
    return bytes;
  }
}
