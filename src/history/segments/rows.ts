// Rows of history as columns: one typed array per field, so that a filter reads only its field. A block grows
// while it is the newest; a stored segment has the same columns, decoded on demand.

export const Column = {
  name: 0,
  client: 1,
  upstream: 2,
  type: 3,
  status: 4,
  reply: 5,
  dnssec: 6,
  rule: 7,
  list: 8,
  durationUs: 9,
  rcode: 10,
  /** Extended DNS Error (RFC 8914); 255 means none. */
  ede: 11,
  /** The name in the answer because of which it was blocked; 0 means none. */
  cname: 12,
} as const;

export type ColumnNumber = (typeof Column)[keyof typeof Column];
export const columnNumbers: readonly ColumnNumber[] = Object.values(Column);
export const noEde = 255;

export interface Rows {
  readonly length: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly minMs: number;
  readonly maxMs: number;
  idAt(row: number): number;
  /** May be longer than `length`. */
  column(column: ColumnNumber): Uint32Array;
  /** Wall clock in milliseconds. */
  times(): Float64Array;
  /** The size of the columns in memory. */
  readonly sizeBytes: number;
}

export const rowBytes = columnNumbers.length * 4 + 8;

/** The row to add, reused for each row. */
export class RowFields {
  timeMs = 0;
  readonly values = new Uint32Array(columnNumbers.length);
}

const firstCapacity = 1024;

export class Block implements Rows {
  readonly firstId: number;
  length = 0;
  minMs = Infinity;
  maxMs = -Infinity;
  #capacity = 0;
  #columns: Uint32Array[] = columnNumbers.map(() => new Uint32Array(0));
  #times = new Float64Array(0);

  constructor(firstId: number) {
    this.firstId = firstId;
  }

  get lastId(): number {
    return this.firstId + this.length - 1;
  }

  get sizeBytes(): number {
    return this.#capacity * rowBytes;
  }

  idAt(row: number): number {
    return this.firstId + row;
  }

  column(column: ColumnNumber): Uint32Array {
    return this.#columns[column] ?? new Uint32Array(0);
  }

  times(): Float64Array {
    return this.#times;
  }

  add(fields: RowFields): void {
    if (this.length === this.#capacity) this.#grow();
    const row = this.length++;
    const columns = this.#columns;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      if (column !== undefined) column[row] = fields.values[i] ?? 0;
    }
    this.#times[row] = fields.timeMs;
    if (fields.timeMs < this.minMs) this.minMs = fields.timeMs;
    if (fields.timeMs > this.maxMs) this.maxMs = fields.timeMs;
  }

  /** The rows from `first` on become those that `order` names; `scratch` has room for them. */
  reorder(
    first: number,
    order: Uint32Array,
    scratch: { readonly values: Uint32Array; readonly times: Float64Array },
  ): void {
    const { values, times } = scratch;
    for (const column of this.#columns) {
      for (let i = 0; i < order.length; i++) values[i] = column[order[i] ?? 0] ?? 0;
      column.set(values.subarray(0, order.length), first);
    }
    for (let i = 0; i < order.length; i++) times[i] = this.#times[order[i] ?? 0] ?? 0;
    this.#times.set(times.subarray(0, order.length), first);
  }

  #grow(): void {
    this.#capacity = Math.max(firstCapacity, this.#capacity * 2);
    this.#columns = this.#columns.map((old) => {
      const larger = new Uint32Array(this.#capacity);
      larger.set(old);
      return larger;
    });
    const times = new Float64Array(this.#capacity);
    times.set(this.#times);
    this.#times = times;
  }
}
