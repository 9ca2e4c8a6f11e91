// Sums the rows of a block, or some of them, column by column; rollup-code.ts describes the result.

import { countValues, encodeCounts } from './counts.ts';
import {
  addTimes,
  encodeClients,
  encodeHead,
  headColumns,
  slotSeconds,
  type Rollup,
  type RollupPart,
  type Slot,
  type UpstreamTimes,
} from './rollup-code.ts';
import { Column, type ColumnNumber, type Rows } from './rows.ts';
import { classesOfStatuses, StatusClass } from './statuses.ts';

const slotMs = slotSeconds * 1000;
function listOf(values: Uint32Array, length: number): Uint8Array {
  return encodeCounts(countValues(values, length));
}

const empty = listOf(new Uint32Array(0), 0);
export const allParts: ReadonlySet<RollupPart> = new Set(['head', 'clients', 'permitted', 'denied'] as const);

/** `selection` holds the rows that count, ascending; without it all count. Computes only the wanted parts. */
export function rollupOf(rows: Rows, selection?: Uint32Array, wanted = allParts): Rollup {
  const picked = new Picked(rows, selection);
  const denied = picked.where((rowClass) => rowClass === StatusClass.blocked);
  const permitted = picked.where((rowClass) => rowClass !== StatusClass.blocked);
  const namesOf = (part: RollupPart, places: Uint32Array): Uint8Array =>
    wanted.has(part) ? listOf(gather(picked.column(Column.name), places), places.length) : empty;
  const needsSlots = wanted.has('head') || wanted.has('clients');
  const bySlot = needsSlots ? picked.bySlot() : new Map<number, Uint32Array>();
  return {
    rows: picked.length,
    blocked: denied.length,
    ...picked.span(),
    head: wanted.has('head') ? headOf(picked, denied, bySlot) : empty,
    clients: wanted.has('clients') ? clientsOf(picked, denied, bySlot) : empty,
    permitted: namesOf('permitted', permitted),
    denied: namesOf('denied', denied),
  };
}

type BySlot = ReadonlyMap<number, Uint32Array>;

function headOf(picked: Picked, denied: Uint32Array, bySlot: BySlot): Uint8Array {
  return encodeHead({
    counts: new Map(headColumns.map((column) => [column, listOf(picked.column(column), picked.length)])),
    listBlocks: listOf(gather(picked.column(Column.list), denied), denied.length),
    slots: picked.slots(bySlot),
    upstreams: picked.upstreamTimes(),
  });
}

function clientsOf(picked: Picked, denied: Uint32Array, bySlot: BySlot): Uint8Array {
  const clients = picked.column(Column.client);
  return encodeClients({
    totals: listOf(clients, picked.length),
    blocked: listOf(gather(clients, denied), denied.length),
    slots: new Map([...bySlot].map(([slot, own]) => [slot, listOf(gather(clients, own), own.length)])),
  });
}

function gather(values: Uint32Array, places: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) gathered[i] = values[places[i] ?? 0] ?? 0;
  return gathered;
}

/** The columns of the selected rows. */
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

  /** The indexes of the rows of each slot. */
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
