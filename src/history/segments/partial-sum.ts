// A part of a range with its sums, whatever their source: read from the disk, computed from rows, or
// precomputed. Statistics are computed from partial sums and do not see the difference.

import type { Rollup, RollupPart } from './rollup-code.ts';

export interface PartialSum {
  readonly rows: number;
  readonly blocked: number;
  /** Computed or read on demand. */
  readonly part: (name: RollupPart) => Uint8Array;
}

export function partialSumFrom(rollup: Rollup): PartialSum {
  return {
    rows: rollup.rows,
    blocked: rollup.blocked,
    part: (name) => rollup[name],
  };
}

/** `count` row numbers, ascending from `first`. */
export function rowsFrom(first: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, at) => first + at);
}
