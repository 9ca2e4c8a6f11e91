// Sums that are computed before a request needs them. Those of the last 24 hours: reading and merging their
// segments, and the rows where the range begins within a segment, takes tens of milliseconds; it is done once
// per slot, shortly before the slot begins. Those of the open block: rows that will not move any more are
// summed step by step. A request adds the little that is newer. A range for which nothing is ready is
// computed from segments and rows.

import { Budget } from './budget.ts';
import type { Bounds, Range } from './filter.ts';
import { lastDay } from './last-day.ts';
import { partialSumFrom, rowsFrom, type PartialSum } from './partial-sum.ts';
import { mergeRollups, type Rollup } from './rollup-code.ts';
import { rollupOf } from './rollup.ts';
import { Block } from './rows.ts';

/** A day with more segments is not precomputed, because that would take too long in one step. */
const maxSegments = 96;
/** With more new segments than this, they are merged into the day. */
const maxNewer = 4;
const mergedAtOnce = 24;
/** How long before a slot begins its sums are computed. */
const aheadMs = 30_000;
const stepRows = 8_192;
const endless = { limitMs: Infinity, clockMs: (): number => 0 };

/** The existing segments. */
interface Segments {
  readonly lastId: number;
  /** How many segments with an id above `afterId` have times within the range. */
  countWithin(range: Range, afterId: number): number;
}

/** Returns the partial sums of closed segments with an id above `afterId`. */
export type FindPartialSums = (range: Range, afterId: number, budget: Budget) => PartialSum[];

export interface ReadyDay extends Range {
  /** The last row of the segments that it contains. */
  readonly throughId: number;
  readonly partialSum: PartialSum;
}

export class ReadyDays {
  readonly #days = new Map<number, ReadyDay>();

  /** Only for exactly this range. */
  of({ fromMs, untilMs, beforeId = Infinity }: Range & Partial<Bounds>): ReadyDay | undefined {
    const day = this.#days.get(fromMs);
    return day?.untilMs === untilMs && beforeId === Infinity ? day : undefined;
  }

  /** Computes at most one of those that are needed now or soon; returns whether it did. */
  prepare(segments: Segments, nowMs: number, find: FindPartialSums): boolean {
    for (const [fromMs, { untilMs }] of this.#days)
      if (untilMs <= nowMs || fromMs > nowMs) this.#days.delete(fromMs);
    return [lastDay(nowMs), lastDay(nowMs + aheadMs)].some((range) => this.#make(segments, range, find));
  }

  #make(segments: Segments, range: Range, find: FindPartialSums): boolean {
    const known = this.of(range);
    const afterId = known?.throughId ?? 0;
    const newer = segments.countWithin(range, afterId);
    if (newer > maxSegments || (known !== undefined && newer <= maxNewer)) return false;
    const throughId = segments.lastId;
    const partialSums = find(range, afterId, new Budget(endless));
    const partialSum = mergePartialSums(
      known === undefined ? partialSums : [known.partialSum, ...partialSums],
    );
    this.#days.set(range.fromMs, { ...range, throughId, partialSum });
    return true;
  }

  /** Drops what contains a segment with these times, because the segment was deleted or changed. */
  forget({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }): void {
    for (const [fromMs, { untilMs }] of this.#days)
      if (maxMs >= fromMs && minMs < untilMs) this.#days.delete(fromMs);
  }

  clear(): void {
    this.#days.clear();
  }
}

function mergePartialSums(partialSums: readonly PartialSum[]): PartialSum {
  let sum = rollupOf(new Block(1));
  for (let from = 0; from < partialSums.length; from += mergedAtOnce)
    sum = mergeRollups([sum, ...partialSums.slice(from, from + mergedAtOnce).map(rollupFrom)]);
  return partialSumFrom(sum);
}

function rollupFrom({ rows, blocked, part }: PartialSum): Rollup {
  return {
    rows,
    blocked,
    minMs: Infinity,
    maxMs: -Infinity,
    head: part('head'),
    clients: part('clients'),
    permitted: part('permitted'),
    denied: part('denied'),
  };
}

/** Sums of the rows of the open block that will not move any more. */
export class ReadySteps {
  #block: Block | undefined;
  #steps: readonly Rollup[] = [];

  /** Adds the new rows before `settled`. */
  extend(block: Block, settled: number): void {
    if (block !== this.#block) this.#steps = [];
    this.#block = block;
    for (let from = this.#steps.length * stepRows; from + stepRows <= settled; from += stepRows)
      this.#steps = [...this.#steps, rollupOf(block, rowsFrom(from, stepRows))];
  }

  /** The sums of the first rows and how many rows those are; none unless all lie within the range. */
  of(
    block: Block,
    { fromMs, untilMs }: Range,
  ): { readonly partialSums: readonly PartialSum[]; readonly rows: number } {
    const isWhole = this.#steps.every(({ minMs, maxMs }) => minMs >= fromMs && maxMs < untilMs);
    if (block !== this.#block || !isWhole) return { partialSums: [], rows: 0 };
    return { partialSums: this.#steps.map(partialSumFrom), rows: this.#steps.length * stepRows };
  }
}
