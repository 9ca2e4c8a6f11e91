// The partial sums that the statistics of a range are computed from: precomputed ones, sums of days and
// segments, and sums of rows, which are computed here where a range ends within a segment or a filter
// applies.

import type { Budget } from './budget.ts';
import { narrowed, walk, type Stored } from './range-parts.ts';
import { selectRows, type Bounds, type Condition } from './filter.ts';
import { partialSumFrom, rowsFrom, type PartialSum } from './partial-sum.ts';
import type { RollupPart } from './rollup-code.ts';
import { rollupOf } from './rollup.ts';
import type { Rows } from './rows.ts';

/** Applies the conditions, if there are any. */
export function partialSumsOf(
  stored: Stored,
  bounds: Bounds,
  conditions: readonly Condition[],
  wanted: ReadonlySet<RollupPart>,
  budget: Budget,
): PartialSum[] {
  const sums: PartialSum[] = [];
  if (conditions.length > 0) {
    narrowed(stored, bounds, conditions, budget, (rows, selection) =>
      sums.push(summed(rows, selection, wanted)),
    );
    return sums;
  }
  const ready = stored.index.readyDays.of(bounds);
  return [
    ...openPartialSums(stored, bounds, wanted),
    ...closedPartialSums(stored, bounds, ready?.throughId ?? 0, wanted, budget),
    ...(ready === undefined ? [] : [ready.partialSum]),
  ];
}

function openPartialSums(
  { open, openRows, steps }: Stored,
  bounds: Bounds,
  wanted: ReadonlySet<RollupPart>,
): PartialSum[] {
  if (openRows === 0) return [];
  const { partialSums, rows } = steps.of(open, bounds);
  // Rows in precomputed steps all lie within the bounds.
  const within = selectRows(open, openRows, bounds, [])?.subarray(rows) ?? rowsFrom(rows, openRows - rows);
  return [...partialSums, summed(open, within, wanted)];
}

/** Of the segments with an id above `afterId`. */
export function closedPartialSums(
  stored: Stored,
  bounds: Bounds,
  afterId: number,
  wanted: ReadonlySet<RollupPart>,
  budget: Budget,
): PartialSum[] {
  const sums: PartialSum[] = [];
  const { index } = stored;
  walk({ ...stored, openRows: 0, days: daysAfter(stored, afterId) }, bounds, budget, {
    day: ({ day, rows, blocked }) => sums.push({ rows, blocked, part: (name) => index.partOfDay(day, name) }),
    segment: (segment) =>
      sums.push({
        rows: segment.rows,
        blocked: segment.blocked,
        part: (name) => index.partOf(segment, name),
      }),
    rows: (rows, selection) => sums.push(summed(rows, selection, wanted)),
  });
  return sums;
}

/** Days without their older segments, and without the merged sums, which contain those. */
function daysAfter({ days }: Stored, afterId: number): Stored['days'] {
  return afterId === 0
    ? days
    : days.map((day) => ({
        ...day,
        isMerged: false,
        segments: day.segments.filter(({ firstId }) => firstId > afterId),
      }));
}

/** Computed at once, because rows are valid only until the next segment is read. */
function summed(rows: Rows, selection: Uint32Array | undefined, wanted: ReadonlySet<RollupPart>): PartialSum {
  return partialSumFrom(rollupOf(rows, selection, wanted));
}
