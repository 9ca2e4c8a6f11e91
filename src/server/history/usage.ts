// Who asked for what, summed: a stretch of rows as the distinct (name, client, type, target that was blocked)
// with their counts. Whoever goes over all rows of a range takes one slice after the other, the newest first,
// so that others get their turn in between and an answer that ends early holds the newest.

import type { Budget } from './budget.ts';
import { overlaps, type Stored } from './cover.ts';
import { selectRows, type Bounds, type Condition, type Range } from './filter.ts';
import { Column, type Rows } from './rows.ts';

export interface UsageRequest extends Range {
  /** `next` of the slice before; left out for the newest. */
  readonly beforeId?: number;
}

/** Each place of the columns is one combination. */
export interface UsageSlice {
  readonly names: Uint32Array;
  readonly clients: Uint32Array;
  readonly types: Uint32Array;
  /** Name of the target that was blocked; 0: none. */
  readonly targets: Uint32Array;
  readonly counts: Uint32Array;
  readonly rows: number;
  /** Undefined at the end. */
  readonly next: number | undefined;
}

/** A slice ends with the segment that makes it at least so long. */
export const sliceRows = 65_536;

/** `mostRows`: for tests. */
export function usageSlice(
  stored: Stored,
  request: UsageRequest,
  conditions: readonly Condition[],
  budget: Budget,
  mostRows = sliceRows,
): UsageSlice {
  const { beforeId = Infinity } = request;
  const bounds: Bounds = { fromMs: request.fromMs, untilMs: request.untilMs, beforeId };
  const sums = new Sums();
  const { open, openRows, index, segments, nowMs } = stored;
  if (openRows > 0 && open.firstId < beforeId) {
    sums.add(open, openRows, selectRows(open, openRows, bounds, conditions));
    if (sums.rows >= mostRows) return sums.slice(open.firstId);
  }
  for (const segment of segments.toReversed()) {
    if (!overlaps(segment, segment.firstId, bounds)) continue;
    // Whoever asks sees by `next` that there is more.
    if (!budget.mayGoOn()) return sums.slice(segment.lastId + 1);
    const rows = index.rowsOf(segment, nowMs);
    sums.add(rows, rows.length, selectRows(rows, rows.length, bounds, conditions));
    if (sums.rows >= mostRows) return sums.slice(segment.firstId);
  }
  return sums.slice(undefined);
}

const keyColumns = [Column.name, Column.client, Column.type, Column.cname] as const;
const firstCapacity = 16_384;

/** Combinations in an open hash table, as columns. */
class Sums {
  rows = 0;
  #size = 0;
  #capacity = firstCapacity;
  #columns = keyColumns.map(() => new Uint32Array(firstCapacity));
  #counts = new Uint32Array(firstCapacity);
  /** Place + 1 by hash, twice as long as the columns. */
  #table = new Uint32Array(2 * firstCapacity);

  add(rows: Rows, length: number, selection: Uint32Array | undefined): void {
    const [names, clients, types, targets] = keyColumns.map((column) => rows.column(column));
    if (names === undefined || clients === undefined || types === undefined || targets === undefined) return;
    const count = selection?.length ?? length;
    for (let i = 0; i < count; i++) {
      const row = selection === undefined ? i : (selection[i] ?? 0);
      this.#count(names[row] ?? 0, clients[row] ?? 0, types[row] ?? 0, targets[row] ?? 0);
    }
    this.rows += count;
  }

  #count(name: number, client: number, type: number, target: number): void {
    const [names, clients, types, targets] = this.#columns;
    if (names === undefined || clients === undefined || types === undefined || targets === undefined) return;
    const table = this.#table;
    const mask = table.length - 1;
    let at = hashOf(name, client, type, target) & mask;
    for (let place = (table[at] ?? 0) - 1; place >= 0; place = (table[at] ?? 0) - 1) {
      const isSame = names[place] === name && clients[place] === client;
      if (isSame && types[place] === type && targets[place] === target) {
        this.#counts[place] = (this.#counts[place] ?? 0) + 1;
        return;
      }
      at = (at + 1) & mask;
    }
    const place = this.#size++;
    table[at] = place + 1;
    names[place] = name;
    clients[place] = client;
    types[place] = type;
    targets[place] = target;
    this.#counts[place] = 1;
    if (this.#size === this.#capacity) this.#grow();
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#columns = this.#columns.map((column) => longer(column, this.#capacity));
    this.#counts = longer(this.#counts, this.#capacity);
    const table = new Uint32Array(2 * this.#capacity);
    const mask = table.length - 1;
    const at = (place: number, column: number): number => this.#columns[column]?.[place] ?? 0;
    for (let place = 0; place < this.#size; place++) {
      let slot = hashOf(at(place, 0), at(place, 1), at(place, 2), at(place, 3)) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = place + 1;
    }
    this.#table = table;
  }

  slice(next: number | undefined): UsageSlice {
    const [names, clients, types, targets] = this.#columns.map((column) => column.slice(0, this.#size));
    const none = new Uint32Array(0);
    return {
      names: names ?? none,
      clients: clients ?? none,
      types: types ?? none,
      targets: targets ?? none,
      counts: this.#counts.slice(0, this.#size),
      rows: this.rows,
      next,
    };
  }
}

const longer = (column: Uint32Array, length: number): Uint32Array<ArrayBuffer> => {
  const copy = new Uint32Array(length);
  copy.set(column);
  return copy;
};

function hashOf(name: number, client: number, type: number, target: number): number {
  let hash =
    Math.imul(name, 0x9e3779b1) ^ Math.imul(client + target, 0x85ebca6b) ^ Math.imul(type, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
