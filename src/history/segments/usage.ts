// Sums of queries by who asked for what: a stretch of rows as distinct combinations (name, client, type,
// blocked target) with their counts. A caller that needs a whole range reads one slice after the other, the
// newest first, so that other questions get their turn and an answer that ends early holds the newest.

import type { Budget } from './budget.ts';
import { overlaps, type Stored } from './range-parts.ts';
import { selectRows, type Bounds, type Condition, type Range } from './filter.ts';
import { Column, type Rows } from './rows.ts';

export interface UsageRequest extends Range {
  /** `next` of the previous slice; omitted for the newest. */
  readonly beforeId?: number;
}

/** Words of a combination: name, client, type, name of the blocked target (0: none). */
export const usageWords = 4;

export interface UsageSlice {
  /** Combinations, one after the other. */
  readonly keys: Uint32Array;
  /** The count of each combination. */
  readonly counts: Uint32Array;
  readonly rows: number;
  /** Undefined at the end. */
  readonly next: number | undefined;
}

/** A slice ends with the segment that makes it at least this long. */
const sliceRows = 65_536;

/** `maxRows`: for tests. */
export function usageSlice(
  stored: Stored,
  request: UsageRequest,
  conditions: readonly Condition[],
  budget: Budget,
  maxRows = sliceRows,
): UsageSlice {
  const { beforeId = Infinity } = request;
  const bounds: Bounds = { fromMs: request.fromMs, untilMs: request.untilMs, beforeId };
  const sums = new Sums();
  const { open, openRows, index, segments, nowMs } = stored;
  if (openRows > 0 && open.firstId < beforeId) {
    sums.add(open, openRows, selectRows(open, openRows, bounds, conditions));
    if (sums.rows >= maxRows) return sums.slice(open.firstId);
  }
  for (const segment of segments.toReversed()) {
    if (!overlaps(segment, segment.firstId, bounds)) continue;
    // The caller sees from `next` that there is more.
    if (!budget.mayGoOn()) return sums.slice(segment.lastId + 1);
    const rows = index.rowsOf(segment, nowMs);
    sums.add(rows, rows.length, selectRows(rows, rows.length, bounds, conditions));
    if (sums.rows >= maxRows) return sums.slice(segment.firstId);
  }
  return sums.slice(undefined);
}

const keyColumns = [Column.name, Column.client, Column.type, Column.cname] as const;
const firstCapacity = 16_384;

/** Combinations in an open-addressing hash table: four words each, one after the other. */
class Sums {
  rows = 0;
  #size = 0;
  #keys = new Uint32Array(usageWords * firstCapacity);
  #counts = new Uint32Array(firstCapacity);
  /** Index + 1 by hash; twice as long as there are entries. */
  #table = new Uint32Array(2 * firstCapacity);

  add(rows: Rows, length: number, selection: Uint32Array | undefined): void {
    const columns = keyColumns.map((column) => rows.column(column));
    const count = selection?.length ?? length;
    for (let i = 0; i < count; i++) {
      const row = selection === undefined ? i : (selection[i] ?? 0);
      // Written to the next free entry; it stays there if it is new.
      const at = this.#size * usageWords;
      for (let word = 0; word < usageWords; word++) this.#keys[at + word] = columns[word]?.[row] ?? 0;
      this.#countNext();
    }
    this.rows += count;
  }

  #countNext(): void {
    const next = this.#size;
    const table = this.#table;
    const mask = table.length - 1;
    let slot = this.#hashOf(next) & mask;
    for (let place = (table[slot] ?? 0) - 1; place >= 0; place = (table[slot] ?? 0) - 1) {
      if (this.#isSame(place, next)) {
        this.#counts[place] = (this.#counts[place] ?? 0) + 1;
        return;
      }
      slot = (slot + 1) & mask;
    }
    table[slot] = next + 1;
    this.#counts[next] = 1;
    this.#size++;
    if (this.#size === this.#counts.length) this.#grow();
  }

  #isSame(one: number, other: number): boolean {
    const keys = this.#keys;
    for (let i = 0; i < usageWords; i++)
      if (keys[one * usageWords + i] !== keys[other * usageWords + i]) return false;
    return true;
  }

  #hashOf(place: number): number {
    const keys = this.#keys;
    let hash = 0;
    for (let i = place * usageWords; i < (place + 1) * usageWords; i++)
      hash = Math.imul(hash ^ (keys[i] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return hash ^ (hash >>> 13);
  }

  #grow(): void {
    const capacity = 2 * this.#counts.length;
    this.#keys = longer(this.#keys, usageWords * capacity);
    this.#counts = longer(this.#counts, capacity);
    const table = new Uint32Array(2 * capacity);
    const mask = table.length - 1;
    for (let place = 0; place < this.#size; place++) {
      let slot = this.#hashOf(place) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = place + 1;
    }
    this.#table = table;
  }

  slice(next: number | undefined): UsageSlice {
    return {
      keys: this.#keys.slice(0, this.#size * usageWords),
      counts: this.#counts.slice(0, this.#size),
      rows: this.rows,
      next,
    };
  }
}

function longer(column: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(length);
  copy.set(column);
  return copy;
}
