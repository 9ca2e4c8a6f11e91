// Deletes what is too old or too much, in small steps: whole segments, or the rows of one class of a segment.
// A step deletes a few segments and returns a few pages to the disk; there is never one long delete.

import type { HistoryDatabase } from './database.ts';
import { pickRows } from './picked-rows.ts';
import { rollupOf } from './rollup.ts';
import { Column } from './rows.ts';
import type { Segment, SegmentIndex } from './segment-index.ts';
import { isBlocked } from './statuses.ts';

const dayMs = 86_400_000;
const segmentsPerStep = 4;
const pagesPerStep = 500;

/** Infinity means no limit. */
export interface RetentionLimits {
  readonly days: number;
  readonly sizeBytes: number;
  readonly blockedDays: number;
  readonly allowedDays: number;
}

export const keepEverything: RetentionLimits = {
  days: Infinity,
  sizeBytes: Infinity,
  blockedDays: Infinity,
  allowedDays: Infinity,
};

/** Runs one step; returns whether there is more to do. */
export function retain(
  database: HistoryDatabase,
  index: SegmentIndex,
  limits: RetentionLimits,
  nowMs: number,
): boolean {
  const flushed = index.sweepFlushed(segmentsPerStep);
  const chosen = choose(database, index, limits, nowMs);
  for (const [segment, kept] of chosen)
    if (kept === 'none') drop(database, index, segment);
    else rewrite(database, index, segment, kept === 'blocked', nowMs);
  database.releasePages(pagesPerStep);
  return flushed + chosen.length > 0;
}

type Kept = 'none' | 'blocked' | 'allowed' | 'all';

function choose(
  database: HistoryDatabase,
  index: SegmentIndex,
  limits: RetentionLimits,
  nowMs: number,
): (readonly [Segment, Kept])[] {
  const chosen: (readonly [Segment, Kept])[] = [];
  let surplus = database.usedBytes() - limits.sizeBytes;
  const averageBytes = database.usedBytes() / Math.max(index.count, 1);
  for (const segment of index.segments) {
    if (chosen.length === segmentsPerStep) break;
    const kept = surplus > 0 ? 'none' : keptOf(segment, limits, nowMs);
    if (kept === 'all') continue;
    if (kept === 'none') surplus -= averageBytes;
    chosen.push([segment, kept]);
  }
  return chosen;
}

function keptOf(segment: Segment, limits: RetentionLimits, nowMs: number): Kept {
  const isOlder = (days: number): boolean => segment.maxMs < nowMs - days * dayMs;
  if (isOlder(limits.days)) return 'none';
  const blockedGoes = segment.blocked > 0 && isOlder(limits.blockedDays);
  const allowedGoes = segment.blocked < segment.rows && isOlder(limits.allowedDays);
  if (!blockedGoes && !allowedGoes) return 'all';
  const blockedStays = segment.blocked > 0 && !blockedGoes;
  const allowedStays = segment.blocked < segment.rows && !allowedGoes;
  if (blockedStays) return 'blocked';
  return allowedStays ? 'allowed' : 'none';
}

function drop(database: HistoryDatabase, index: SegmentIndex, segment: Segment): void {
  database.transaction(() => index.delete(segment));
  index.removed(segment);
}

function rewrite(
  database: HistoryDatabase,
  index: SegmentIndex,
  segment: Segment,
  keepsBlocked: boolean,
  nowMs: number,
): void {
  const rows = index.rowsOf(segment, nowMs);
  const statuses = rows.column(Column.status);
  const kept = Uint32Array.from({ length: rows.length }, (_, row) => row).filter(
    (row) => isBlocked(statuses[row] ?? 0) === keepsBlocked,
  );
  const picked = pickRows(rows, kept);
  const written = database.transaction(() => {
    index.delete(segment);
    return index.insert(picked, segment.hour, rollupOf(picked));
  });
  index.replaced(segment, written.segment);
}
