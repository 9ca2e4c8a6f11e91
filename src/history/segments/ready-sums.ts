// Sums that are made before somebody waits for them. Of the last 24 hours: to read and merge their segments,
// and the rows where they begin within one, takes tens of milliseconds the first time; it is done once for
// each slot, shortly before that begins. Of the open block: what will not change any more is summed step by
// step as it comes. Whoever asks adds the little that is newer. Whatever does not fit is worked out as if
// nothing were ready.

import { Budget } from './budget.ts';
import type { Bounds, Range } from './filter.ts';
import { lastDay } from './last-day.ts';
import { pieceFrom, rowsFrom, type Piece } from './partial-sum.ts';
import { mergeRollups, type Rollup } from './rollup-code.ts';
import { rollupOf } from './rollup.ts';
import { Block } from './rows.ts';

/** With more of them in a day nothing is made ready, for it would take too long at once. */
const mostSegments = 96;
/** That came since; then they are taken in. */
const mostNewer = 4;
const mergedAtOnce = 24;
/** How long before a slot begins its sums are made. */
const aheadMs = 30_000;
const stepRows = 8_192;
const endless = { limitMs: Infinity, clockMs: (): number => 0 };

/** The segments that there are. */
interface Segments {
  readonly lastId: number;
  /** How many with an id above `afterId` have times within the range. */
  countWithin(range: Range, afterId: number): number;
}

/** How the pieces of closed segments are found, those with an id above `afterId`. */
export type FindPieces = (range: Range, afterId: number, budget: Budget) => Piece[];

export interface ReadyDay extends Range {
  /** The last row of the segments that are in it. */
  readonly throughId: number;
  readonly piece: Piece;
}

export class ReadyDays {
  readonly #days = new Map<number, ReadyDay>();

  /** Of just this range. */
  of({ fromMs, untilMs, beforeId = Infinity }: Range & Partial<Bounds>): ReadyDay | undefined {
    const day = this.#days.get(fromMs);
    return day?.untilMs === untilMs && beforeId === Infinity ? day : undefined;
  }

  /** Makes at most one of those that are or will soon be needed; whether it did. */
  prepare(segments: Segments, nowMs: number, find: FindPieces): boolean {
    for (const [fromMs, { untilMs }] of this.#days)
      if (untilMs <= nowMs || fromMs > nowMs) this.#days.delete(fromMs);
    return [lastDay(nowMs), lastDay(nowMs + aheadMs)].some((range) => this.#make(segments, range, find));
  }

  #make(segments: Segments, range: Range, find: FindPieces): boolean {
    const known = this.of(range);
    const afterId = known?.throughId ?? 0;
    const newer = segments.countWithin(range, afterId);
    if (newer > mostSegments || (known !== undefined && newer <= mostNewer)) return false;
    const throughId = segments.lastId;
    const pieces = find(range, afterId, new Budget(endless));
    const piece = mergePieces(known === undefined ? pieces : [known.piece, ...pieces]);
    this.#days.set(range.fromMs, { ...range, throughId, piece });
    return true;
  }

  /** A segment with such times is gone, or has changed. */
  forget({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }): void {
    for (const [fromMs, { untilMs }] of this.#days)
      if (maxMs >= fromMs && minMs < untilMs) this.#days.delete(fromMs);
  }

  clear(): void {
    this.#days.clear();
  }
}

function mergePieces(pieces: readonly Piece[]): Piece {
  let sum = rollupOf(new Block(1));
  for (let from = 0; from < pieces.length; from += mergedAtOnce)
    sum = mergeRollups([sum, ...pieces.slice(from, from + mergedAtOnce).map(rollupFrom)]);
  return pieceFrom(sum);
}

function rollupFrom({ rows, blocked, part }: Piece): Rollup {
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

/** The open block, as far as its rows stay where they are. */
export class ReadySteps {
  #block: Block | undefined;
  #steps: readonly Rollup[] = [];

  /** Sums what is new of the rows before `settled`. */
  extend(block: Block, settled: number): void {
    if (block !== this.#block) this.#steps = [];
    this.#block = block;
    for (let from = this.#steps.length * stepRows; from + stepRows <= settled; from += stepRows)
      this.#steps = [...this.#steps, rollupOf(block, rowsFrom(from, stepRows))];
  }

  /** The sums of the first rows, and how many those are; none when not all of them lie within the range. */
  of(block: Block, { fromMs, untilMs }: Range): { readonly pieces: readonly Piece[]; readonly rows: number } {
    const isWhole = this.#steps.every(({ minMs, maxMs }) => minMs >= fromMs && maxMs < untilMs);
    if (block !== this.#block || !isWhole) return { pieces: [], rows: 0 };
    return { pieces: this.#steps.map(pieceFrom), rows: this.#steps.length * stepRows };
  }
}
