// The pieces that the statistics of a range are made of: what is ready, sums of days and segments, and rows
// that are summed here, where a range ends within a segment or a filter narrows it.

import type { Budget } from './budget.ts';
import { narrowed, walk, type Stored } from './range-parts.ts';
import { selectRows, type Bounds, type Condition } from './filter.ts';
import { pieceFrom, rowsFrom, type Piece } from './partial-sum.ts';
import type { RollupPart } from './rollup-code.ts';
import { rollupOf } from './rollup.ts';
import type { Rows } from './rows.ts';

/** Narrowed by conditions if there are any. */
export function piecesOf(
  stored: Stored,
  bounds: Bounds,
  conditions: readonly Condition[],
  wanted: ReadonlySet<RollupPart>,
  budget: Budget,
): Piece[] {
  const pieces: Piece[] = [];
  if (conditions.length > 0) {
    narrowed(stored, bounds, conditions, budget, (rows, selection) =>
      pieces.push(summed(rows, selection, wanted)),
    );
    return pieces;
  }
  const ready = stored.index.readyDays.of(bounds);
  return [
    ...openPieces(stored, bounds, wanted),
    ...closedPieces(stored, bounds, ready?.throughId ?? 0, wanted, budget),
    ...(ready === undefined ? [] : [ready.piece]),
  ];
}

function openPieces(
  { open, openRows, steps }: Stored,
  bounds: Bounds,
  wanted: ReadonlySet<RollupPart>,
): Piece[] {
  if (openRows === 0) return [];
  const { pieces, rows } = steps.of(open, bounds);
  // What is in steps lies within the bounds, all of it.
  const within = selectRows(open, openRows, bounds, [])?.subarray(rows) ?? rowsFrom(rows, openRows - rows);
  return [...pieces, summed(open, within, wanted)];
}

/** Of the segments with an id above `afterId`. */
export function closedPieces(
  stored: Stored,
  bounds: Bounds,
  afterId: number,
  wanted: ReadonlySet<RollupPart>,
  budget: Budget,
): Piece[] {
  const pieces: Piece[] = [];
  const { index } = stored;
  walk({ ...stored, openRows: 0, days: daysAfter(stored, afterId) }, bounds, budget, {
    day: ({ day, rows, blocked }) =>
      pieces.push({ rows, blocked, part: (name) => index.partOfDay(day, name) }),
    segment: (segment) =>
      pieces.push({
        rows: segment.rows,
        blocked: segment.blocked,
        part: (name) => index.partOf(segment, name),
      }),
    rows: (rows, selection) => pieces.push(summed(rows, selection, wanted)),
  });
  return pieces;
}

/** Days without their older segments, and without the sums that those are in. */
function daysAfter({ days }: Stored, afterId: number): Stored['days'] {
  return afterId === 0
    ? days
    : days.map((day) => ({
        ...day,
        isMerged: false,
        segments: day.segments.filter(({ firstId }) => firstId > afterId),
      }));
}

/** At once, since rows last only until the next segment is read. */
function summed(rows: Rows, selection: Uint32Array | undefined, wanted: ReadonlySet<RollupPart>): Piece {
  return pieceFrom(rollupOf(rows, selection, wanted));
}
