// A part of a range with its sums, wherever they come from: read from the disk, made of rows, or ready before
// somebody asked. Statistics are made of pieces and see no difference.

import type { Rollup, RollupPart } from './rollup-code.ts';

export interface Piece {
  readonly rows: number;
  readonly blocked: number;
  /** Made or read when it is asked for. */
  readonly part: (name: RollupPart) => Uint8Array;
}

export function pieceFrom(rollup: Rollup): Piece {
  return {
    rows: rollup.rows,
    blocked: rollup.blocked,
    part: (name) => rollup[name],
  };
}

/** The numbers of so many rows. */
export function rowsFrom(first: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, at) => first + at);
}
