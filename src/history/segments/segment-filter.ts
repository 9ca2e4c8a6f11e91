// Finds the segments that can contain what a filter looks for, from the sums of days and segments, so that
// only segments with the value are opened. Results are kept until the question is answered. For a single
// condition the number of rows is exact, for several it is an upper bound.

import type { Condition } from './filter.ts';
import { decodeClients, decodeHead, type RollupPart } from './rollup-code.ts';
import { Column, type ColumnNumber } from './rows.ts';
import type { Day, Segment, SegmentIndex } from './segment-index.ts';

type ReadPart = (part: RollupPart) => Uint8Array;

/** Sums do not contain rules: each segment may have them. */
const uncounted: ReadonlySet<ColumnNumber> = new Set([
  Column.rule,
  Column.durationUs,
  Column.rcode,
  Column.ede,
]);

export class SegmentFilter {
  readonly #index: SegmentIndex;
  readonly #conditions: readonly Condition[];
  readonly #days = new Map<number, number>();
  readonly #segments = new Map<number, number>();

  constructor(index: SegmentIndex, conditions: readonly Condition[]) {
    this.#index = index;
    this.#conditions = conditions;
  }

  /** Whether the numbers are exact. */
  get isExact(): boolean {
    return this.#conditions.length <= 1 && !this.#conditions.some(({ column }) => uncounted.has(column));
  }

  inDay({ day, rows }: Day): number {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const count = this.#count(rows, (part) => this.#index.partOfDay(day, part));
    this.#days.set(day, count);
    return count;
  }

  inSegment(segment: Segment): number {
    const known = this.#segments.get(segment.firstId);
    if (known !== undefined) return known;
    const count = this.#count(segment.rows, (part) => this.#index.partOf(segment, part));
    this.#segments.set(segment.firstId, count);
    return count;
  }

  #count(rows: number, read: ReadPart): number {
    let least = rows;
    for (const condition of this.#conditions)
      if (least > 0) least = Math.min(least, countOf(condition, rows, read));
    return least;
  }
}

function countOf({ column, set }: Condition, rows: number, read: ReadPart): number {
  if (uncounted.has(column)) return rows;
  if (set.isEmpty) return 0;
  if (column === Column.name) return set.sumOf(read('permitted')) + set.sumOf(read('denied'));
  if (column === Column.client) return set.sumOf(decodeClients(read('clients')).totals);
  const list = decodeHead(read('head')).counts.get(column);
  return list === undefined ? rows : set.sumOf(list);
}
