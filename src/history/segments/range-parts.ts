// Splits a range of time into whole days with their sums, whole segments with theirs, and rows where the
// range ends in the middle of a segment or a filter applies. The newest come first, so that an answer that
// ends early holds the newest.

import type { Budget } from './budget.ts';
import { selectRows, type Bounds, type Condition, type Dictionaries } from './filter.ts';
import { SegmentFilter } from './segment-filter.ts';
import type { ReadySteps } from './ready-sums.ts';
import type { Block, Rows } from './rows.ts';
import type { Day, Segment, SegmentIndex, Span } from './segment-index.ts';

/** What is stored at the moment of a question. */
export interface Stored extends Dictionaries {
  readonly index: SegmentIndex;
  /** In the order of ids. */
  readonly segments: readonly Segment[];
  readonly days: readonly Day[];
  readonly open: Block;
  /** How many rows of the open block belong to this moment. */
  readonly openRows: number;
  /** Precomputed sums of the first of these rows. */
  readonly steps: ReadySteps;
  readonly nowMs: number;
}

export function isWhole(span: Span, lastId: number, { fromMs, untilMs, beforeId }: Bounds): boolean {
  return span.minMs >= fromMs && span.maxMs < untilMs && lastId < beforeId;
}

export function overlaps(span: Span, firstId: number, { fromMs, untilMs, beforeId }: Bounds): boolean {
  return span.maxMs >= fromMs && span.minMs < untilMs && firstId < beforeId;
}

function lastIdOf({ segments }: Day): number {
  return segments.at(-1)?.lastId ?? 0;
}
function firstIdOf({ segments }: Day): number {
  return segments[0]?.firstId ?? Infinity;
}

export interface Walker {
  /** A day with sums that lies completely within the bounds. */
  day(day: Day): void;
  /** A segment that lies completely within the bounds. */
  segment(segment: Segment): void;
  /** Rows of a segment or of the open block; `selection` are those within the bounds. */
  rows(rows: Rows, selection: Uint32Array | undefined): void;
}

/** Calls the walker once for everything within the bounds, the newest first. */
export function walk(stored: Stored, bounds: Bounds, budget: Budget, walker: Walker): void {
  const { open, openRows, days } = stored;
  if (openRows > 0) walker.rows(open, selectRows(open, openRows, bounds, []));
  for (const day of days.toReversed()) {
    if (!overlaps(day, firstIdOf(day), bounds)) continue;
    if (!budget.mayGoOn()) return;
    if (day.isMerged && isWhole(day, lastIdOf(day), bounds)) walker.day(day);
    else walkDay(stored, day, bounds, budget, walker);
  }
}

function walkDay(stored: Stored, day: Day, bounds: Bounds, budget: Budget, walker: Walker): void {
  for (const segment of day.segments.toReversed()) {
    if (!overlaps(segment, segment.firstId, bounds)) continue;
    if (!budget.mayGoOn()) return;
    if (isWhole(segment, segment.lastId, bounds)) walker.segment(segment);
    else {
      const rows = stored.index.rowsOf(segment, stored.nowMs);
      walker.rows(rows, selectRows(rows, rows.length, bounds, []));
    }
  }
}

/** Calls `visit` with the matching rows of each segment that has some, the newest segment first. */
export function narrowed(
  stored: Stored,
  bounds: Bounds,
  conditions: readonly Condition[],
  budget: Budget,
  visit: (rows: Rows, selection: Uint32Array | undefined) => void,
): void {
  const { open, openRows, index } = stored;
  const segmentFilter = new SegmentFilter(index, conditions);
  const look = (rows: Rows, length: number): void => {
    const selection = selectRows(rows, length, bounds, conditions);
    if (selection === undefined || selection.length > 0) visit(rows, selection);
  };
  if (openRows > 0) look(open, openRows);
  for (const day of stored.days.toReversed()) {
    if (!overlaps(day, firstIdOf(day), bounds)) continue;
    if (!budget.mayGoOn()) return;
    if (day.isMerged && segmentFilter.inDay(day) === 0) continue;
    for (const segment of segmentsWith(day, bounds, segmentFilter)) {
      if (!budget.mayGoOn()) return;
      const rows = index.rowsOf(segment, stored.nowMs);
      look(rows, rows.length);
    }
  }
}

function segmentsWith({ segments }: Day, bounds: Bounds, segmentFilter: SegmentFilter): Segment[] {
  return segments
    .filter((one) => overlaps(one, one.firstId, bounds) && segmentFilter.inSegment(one) > 0)
    .toReversed();
}
