// Sums the rows of a block, or some of them, column by column: see rollup-code.ts for what comes out of it.

import { countValues, encodeCounts } from './counts.ts';
import {
  addTimes,
  encodeClients,
  encodeHead,
  headColumns,
  slotSeconds,
  type Rollup,
  type Slot,
  type UpstreamTimes,
} from './rollup-code.ts';
import { Column, type ColumnNumber, type Rows } from './rows.ts';
import { classesOfStatuses, StatusClass } from './statuses.ts';

const slotMs = slotSeconds * 1000;
const listOf = (values: Uint32Array, length: number): Uint8Array => encodeCounts(countValues(values, length));

/** `selection` holds the rows that count, ascending; all of them without. */
export function rollupOf(rows: Rows, selection?: Uint32Array): Rollup {
  const picked = new Picked(rows, selection);
  const denied = picked.where((rowClass) => rowClass === StatusClass.blocked);
  const permitted = picked.where((rowClass) => rowClass !== StatusClass.blocked);
  const names = picked.column(Column.name);
  const bySlot = picked.bySlot();
  const clients = picked.column(Column.client);
  return {
    rows: picked.length,
    blocked: denied.length,
    ...picked.span(),
    head: encodeHead({
      counts: new Map(headColumns.map((column) => [column, listOf(picked.column(column), picked.length)])),
      listBlocks: listOf(gather(picked.column(Column.list), denied), denied.length),
      slots: picked.slots(bySlot),
      upstreams: picked.upstreamTimes(),
    }),
    clients: encodeClients({
      totals: listOf(clients, picked.length),
      blocked: listOf(gather(clients, denied), denied.length),
      slots: new Map([...bySlot].map(([slot, own]) => [slot, listOf(gather(clients, own), own.length)])),
    }),
    permitted: listOf(gather(names, permitted), permitted.length),
    denied: listOf(gather(names, denied), denied.length),
  };
}

function gather(values: Uint32Array, places: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) gathered[i] = values[places[i] ?? 0] ?? 0;
  return gathered;
}

/** The selected rows as columns of their own. */
class Picked {
  readonly length: number;
  readonly #rows: Rows;
  readonly #selection: Uint32Array | undefined;
  readonly #classes: Uint8Array;

  constructor(rows: Rows, selection: Uint32Array | undefined) {
    this.#rows = rows;
    this.#selection = selection;
    this.length = selection?.length ?? rows.length;
    this.#classes = new Uint8Array(this.length);
    const statuses = this.column(Column.status);
    for (let i = 0; i < this.length; i++) this.#classes[i] = classesOfStatuses[statuses[i] ?? 0] ?? 0;
  }

  column(column: ColumnNumber): Uint32Array {
    const values = this.#rows.column(column);
    return this.#selection === undefined ? values : gather(values, this.#selection);
  }

  #timeAt(index: number): number {
    return this.#rows.times()[this.#selection?.[index] ?? index] ?? 0;
  }

  span(): { minMs: number; maxMs: number } {
    if (this.#selection === undefined) return { minMs: this.#rows.minMs, maxMs: this.#rows.maxMs };
    let minMs = Infinity;
    let maxMs = -Infinity;
    for (let i = 0; i < this.length; i++) {
      minMs = Math.min(minMs, this.#timeAt(i));
      maxMs = Math.max(maxMs, this.#timeAt(i));
    }
    return { minMs, maxMs };
  }

  where(test: (rowClass: number) => boolean): Uint32Array {
    const accepted = Array.from({ length: 4 }, (_, rowClass) => test(rowClass));
    const places = new Uint32Array(this.length);
    let count = 0;
    for (let i = 0; i < this.length; i++) if (accepted[this.#classes[i] ?? 0] === true) places[count++] = i;
    return places.subarray(0, count);
  }

  /** The places of the rows of each slot. */
  bySlot(): Map<number, Uint32Array> {
    const sizes = new Map<number, number>();
    const slots = new Float64Array(this.length);
    for (let i = 0; i < this.length; i++) {
      const slot = Math.floor(this.#timeAt(i) / slotMs);
      slots[i] = slot;
      sizes.set(slot, (sizes.get(slot) ?? 0) + 1);
    }
    const ascending = [...sizes].toSorted(([a], [b]) => a - b);
    const found = new Map(ascending.map(([slot, size]) => [slot, new Uint32Array(size)]));
    for (let i = this.length - 1; i >= 0; i--) {
      const slot = slots[i] ?? 0;
      const place = (sizes.get(slot) ?? 1) - 1;
      sizes.set(slot, place);
      const own = found.get(slot);
      if (own !== undefined) own[place] = i;
    }
    return found;
  }

  slots(bySlot: ReadonlyMap<number, Uint32Array>): Map<number, Slot> {
    const sums = new Map<number, Slot>();
    for (const [slot, places] of bySlot) {
      const count = [0, 0, 0, 0];
      for (const place of places) {
        const rowClass = this.#classes[place] ?? 0;
        count[rowClass] = (count[rowClass] ?? 0) + 1;
      }
      const of = (rowClass: number): number => count[rowClass] ?? 0;
      sums.set(slot, {
        total: places.length,
        cached: of(StatusClass.cached),
        blocked: of(StatusClass.blocked),
        forwarded: of(StatusClass.forwarded),
      });
    }
    return sums;
  }

  upstreamTimes(): Map<number, UpstreamTimes> {
    const upstreams = this.column(Column.upstream);
    const durations = this.column(Column.durationUs);
    const found = new Map<number, UpstreamTimes>();
    for (let i = 0; i < this.length; i++) {
      const upstream = upstreams[i] ?? 0;
      if (upstream === 0) continue;
      const durationUs = durations[i] ?? 0;
      addTimes(found, upstream, { count: 1, sumUs: durationUs, sumSquaresUs: durationUs * durationUs });
    }
    return found;
  }
}
