// How many answers of each type the cache of a worker holds, in its shared memory: a few rows, the most
// frequent types first. Written as a whole, on request.

export interface TypeCount {
  readonly type: number;
  readonly valid: number;
  /** Over, but still in the cache. */
  readonly stale: number;
}

/** Types that have a row of their own; real traffic has twenty at most. */
export const censusRows = 32;
const rowDoubles = 3;
export const censusBytes = censusRows * rowDoubles * 8;

function total({ valid, stale }: TypeCount): number {
  return valid + stale;
}
function mostFirst(rows: Iterable<TypeCount>): readonly TypeCount[] {
  return [...rows].toSorted((one, other) => total(other) - total(one)).slice(0, censusRows);
}

export function writeCensus(memory: SharedArrayBuffer, atBytes: number, counts: Iterable<TypeCount>): void {
  const rows = new Float64Array(memory, atBytes, censusRows * rowDoubles).fill(0);
  for (const [index, { type, valid, stale }] of mostFirst(counts).entries())
    rows.set([type, valid, stale], index * rowDoubles);
}

/** Of all workers together, by the number of the type. */
export function readCensus(memories: readonly SharedArrayBuffer[], atBytes: number): readonly TypeCount[] {
  const found = new Map<number, TypeCount>();
  for (const memory of memories) {
    const rows = new Float64Array(memory, atBytes, censusRows * rowDoubles);
    for (let at = 0; at < rows.length; at += rowDoubles) {
      const [type = 0, valid = 0, stale = 0] = rows.subarray(at, at + rowDoubles);
      const before = found.get(type) ?? { type, valid: 0, stale: 0 };
      found.set(type, { type, valid: before.valid + valid, stale: before.stale + stale });
    }
  }
  return mostFirst(found.values())
    .filter((row) => total(row) > 0)
    .toSorted((one, other) => one.type - other.type);
}
