// Pages of the query log, the newest rows first, by id. Segments that cannot contain a match are not opened;
// segments that are skipped as a whole (`start`) are only counted. The number of all matches is exact for one
// condition at most, because the sums contain it; for several it is known only when all rows were read.

import type { Budget } from './budget.ts';
import { isWhole, overlaps, walk, type Stored } from './range-parts.ts';
import { conditionsOf, selectRows, type Bounds, type Condition, type RowFilter } from './filter.ts';
import { SegmentFilter } from './segment-filter.ts';
import { Column, noEde, type Rows } from './rows.ts';
import type { Day, Segment } from './segment-index.ts';

export interface PageRequest extends RowFilter {
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** Only rows up to this id. */
  readonly cursor?: number;
  /** Only rows older than the one with this id, which is the last one of the previous page. */
  readonly after?: number;
  /** Rows to skip. */
  readonly start: number;
  readonly length: number;
  /** A caller that pages through everything does not need the total on each page. */
  readonly isUncounted?: boolean;
}

export interface HistoryRow {
  readonly id: number;
  readonly timeMs: number;
  readonly domain: string;
  readonly clientIp: string;
  readonly clientName: string;
  /** '' when no upstream was used. */
  readonly upstream: string;
  readonly type: number;
  readonly status: number;
  readonly reply: number;
  readonly dnssec: number;
  readonly ruleId: number;
  readonly listId: number;
  readonly durationUs: number;
  readonly rcode: number;
  /** -1 when there is none. */
  readonly ede: number;
  /** '' when there is none. */
  readonly cname: string;
}

export interface Page {
  readonly rows: readonly HistoryRow[];
  /** The number of all stored rows. */
  readonly recordsTotal: number;
  /** null when it was not counted, because that would have taken too long. */
  readonly recordsFiltered: number | null;
  readonly truncated: boolean;
  /** The `after` of the next page; undefined when this is the last one, unless the page was cut. */
  readonly next: number | undefined;
  /** The time was over before the page was full: it continues with `next`, if there is one. */
  readonly isCut: boolean;
}

export function readPage(stored: Stored, request: PageRequest, budget: Budget): Page {
  const conditions = conditionsOf(request, stored, budget);
  const bounds = boundsOf(request);
  const segmentFilter = new SegmentFilter(stored.index, conditions);
  const collector = new Collector(stored, request);
  // If the time was over before all names were searched, a pattern may match more names than were found.
  const areConditionsWhole = !budget.isCut;
  const reached = walkPage(stored, bounds, conditions, segmentFilter, budget, collector);
  const isCut = budget.isCut && !collector.isFull;
  const isComplete = !collector.isFull && !isCut;
  const whole = boundsOf({ ...request, after: undefined });
  const count = (): number | null =>
    request.isUncounted === true ? null : countAll(stored, whole, segmentFilter, conditions, budget);
  const recordsFiltered = isComplete && request.after === undefined ? collector.seen : count();
  const goesOnAt = isCut ? reached : collector.rows.at(-1)?.id;
  return {
    rows: collector.rows,
    recordsTotal: totalOf(stored),
    recordsFiltered,
    truncated: budget.isCut || recordsFiltered === null,
    next: isComplete || !areConditionsWhole ? undefined : goesOnAt,
    isCut,
  };
}

type Limits = Pick<PageRequest, 'fromMs' | 'untilMs' | 'cursor'> & { readonly after?: number | undefined };

function boundsOf({ fromMs, untilMs, cursor, after }: Limits): Bounds {
  return {
    fromMs: fromMs ?? -Infinity,
    untilMs: untilMs ?? Infinity,
    beforeId: Math.min((cursor ?? Infinity) + 1, after ?? Infinity),
  };
}

function totalOf({ days, openRows }: Stored): number {
  return days.reduce((sum, { rows }) => sum + rows, openRows);
}

/** Skips and collects rows until the page is full. */
class Collector {
  readonly rows: HistoryRow[] = [];
  /** Matching rows, including the skipped ones. */
  seen = 0;
  readonly #stored: Stored;
  readonly #length: number;
  #skip: number;

  constructor(stored: Stored, { start, length }: PageRequest) {
    this.#stored = stored;
    this.#skip = start;
    this.#length = length;
  }

  get isFull(): boolean {
    return this.rows.length >= this.#length;
  }

  /** Whether this many rows are skipped as a whole. */
  skips(count: number): boolean {
    if (count > this.#skip) return false;
    this.#skip -= count;
    this.seen += count;
    return true;
  }

  collect(rows: Rows, length: number, selection: Uint32Array | undefined): void {
    const count = selection?.length ?? length;
    const skipped = Math.min(this.#skip, count);
    this.#skip -= skipped;
    const taken = Math.min(count - skipped, this.#length - this.rows.length);
    for (let i = count - 1 - skipped; i > count - 1 - skipped - taken; i--)
      this.rows.push(this.#row(rows, selection?.[i] ?? i));
    this.seen += skipped + taken;
  }

  #row(rows: Rows, row: number): HistoryRow {
    const { names, clients, labels, upstreams } = this.#stored;
    const of = (column: Parameters<Rows['column']>[0]): number => rows.column(column)[row] ?? 0;
    const ede = of(Column.ede);
    return {
      id: rows.idAt(row),
      timeMs: rows.times()[row] ?? 0,
      domain: names.textOf(of(Column.name)),
      clientIp: clients.textOf(of(Column.client)),
      clientName: labels.of(of(Column.client)),
      upstream: upstreams.textOf(of(Column.upstream)),
      type: of(Column.type),
      status: of(Column.status),
      reply: of(Column.reply),
      dnssec: of(Column.dnssec),
      ruleId: of(Column.rule),
      listId: of(Column.list),
      durationUs: of(Column.durationUs),
      rcode: of(Column.rcode),
      ede: ede === noEde ? -1 : ede,
      cname: names.textOf(of(Column.cname)),
    };
  }
}

/** Returns the id down to which everything was read. */
function walkPage(
  stored: Stored,
  bounds: Bounds,
  conditions: readonly Condition[],
  segmentFilter: SegmentFilter,
  budget: Budget,
  collector: Collector,
): number {
  if (conditions.some(({ set }) => set.isEmpty)) return 0;
  const { open, openRows, index } = stored;
  if (openRows > 0) collector.collect(open, openRows, selectRows(open, openRows, bounds, conditions));
  const days = new Map(stored.days.map((day) => [day.day, day]));
  let reached = Math.min(open.firstId, bounds.beforeId);
  for (const segment of stored.segments.toReversed()) {
    if (collector.isFull) return reached;
    if (!overlaps(segment, segment.firstId, bounds)) continue;
    if (!budget.mayGoOn()) return reached;
    reached = Math.min(segment.firstId, bounds.beforeId);
    if (!mayHold(segment, days, segmentFilter) || isSkipped(segment, bounds, segmentFilter, collector))
      continue;
    const rows = index.rowsOf(segment, stored.nowMs);
    collector.collect(rows, rows.length, selectRows(rows, rows.length, bounds, conditions));
  }
  return reached;
}

/** Whether all matches in the segment are skipped, as far as the sums show. */
function isSkipped(
  segment: Segment,
  bounds: Bounds,
  segmentFilter: SegmentFilter,
  collector: Collector,
): boolean {
  return (
    segmentFilter.isExact &&
    isWhole(segment, segment.lastId, bounds) &&
    collector.skips(segmentFilter.inSegment(segment))
  );
}

function mayHold(segment: Segment, days: ReadonlyMap<number, Day>, segmentFilter: SegmentFilter): boolean {
  const day = days.get(Math.floor(segment.hour / 24));
  if (day?.isMerged === true && segmentFilter.inDay(day) === 0) return false;
  return segmentFilter.inSegment(segment) > 0;
}

/** null when the sums do not contain the number. */
function countAll(
  stored: Stored,
  bounds: Bounds,
  segmentFilter: SegmentFilter,
  conditions: readonly Condition[],
  budget: Budget,
): number | null {
  if (!segmentFilter.isExact) return null;
  let count = 0;
  walk(stored, bounds, budget, {
    day: (day) => (count += segmentFilter.inDay(day)),
    segment: (segment) => (count += segmentFilter.inSegment(segment)),
    rows: (rows, selection) => (count += countIn(rows, selection, conditions)),
  });
  return budget.isCut ? null : count;
}

function countIn(rows: Rows, selection: Uint32Array | undefined, conditions: readonly Condition[]): number {
  let count = selection?.length ?? rows.length;
  const own = selection?.slice() ?? Uint32Array.from({ length: rows.length }, (_, row) => row);
  for (const { column, set } of conditions) count = set.narrow(own, count, rows.column(column));
  return count;
}
