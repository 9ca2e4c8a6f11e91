// The list of stored segments and days in memory, with the span of their times, so that a question opens only
// what it needs. A segment is closed at the end of its hour but may contain rows that came late: the span of
// its rows counts, not its hour. Decoded segments of the last day stay in memory, the newest first, up to a
// limit.

import type { HistoryDatabase, SqlRow } from './database.ts';
import type { Range } from './filter.ts';
import { ReadyDays } from './ready-sums.ts';
import type { Rollup, RollupPart } from './rollup-code.ts';
import type { Rows } from './rows.ts';
import { encodeRows, SegmentMemory, SegmentRows } from './segment-code.ts';

const hourMs = 3_600_000;
const hoursPerDay = 24;
const windowMs = hoursPerDay * hourMs;

/** Key in the table `meta`: the id up to which everything was flushed. */
const flushedKey = 'flushed_id';

export function dayOf(hour: number): number {
  return Math.floor(hour / hoursPerDay);
}
export function hourOf(timeMs: number): number {
  return Math.floor(timeMs / hourMs);
}

export interface Span {
  readonly rows: number;
  readonly blocked: number;
  readonly minMs: number;
  readonly maxMs: number;
}

export interface Segment extends Span {
  readonly firstId: number;
  readonly lastId: number;
  readonly hour: number;
}

export interface Day extends Span {
  readonly day: number;
  /** Whether there are merged sums of the whole day. */
  readonly isMerged: boolean;
  /** In the order of their ids. */
  readonly segments: readonly Segment[];
}

export class SegmentIndex {
  readonly readyDays = new ReadyDays();
  readonly #database: HistoryDatabase;
  readonly #windowBytes: number;
  /** By first id, in the order of ids. */
  readonly #segments = new Map<number, Segment>();
  readonly #merged = new Set<number>();
  readonly #window = new Map<number, Rows>();
  #days: readonly Day[] | undefined;
  readonly #memory = new SegmentMemory();
  #windowUsed = 0;

  constructor(database: HistoryDatabase, windowBytes: number) {
    this.#database = database;
    this.#windowBytes = windowBytes;
    const columns = 'first_id, last_id, hour, rows, blocked, min_ms, max_ms';
    const rows = database
      .statement(`select ${columns} from segment where first_id > ? order by first_id`)
      .all(database.meta(flushedKey) ?? 0);
    for (const row of rows) this.#note(segmentOf(row));
    for (const row of database.statement('select day from day').all()) this.#merged.add(Number(row['day']));
  }

  /** In the order of ids. */
  get segments(): readonly Segment[] {
    return [...this.#segments.values()];
  }

  get count(): number {
    return this.#segments.size;
  }

  get lastId(): number {
    return this.segments.at(-1)?.lastId ?? 0;
  }

  /** How many segments with an id above `afterId` have times within the range. */
  countWithin({ fromMs, untilMs }: Range, afterId: number): number {
    let count = 0;
    for (const { firstId, minMs, maxMs } of this.#segments.values())
      if (firstId > afterId && maxMs >= fromMs && minMs < untilMs) count++;
    return count;
  }

  get windowBytes(): number {
    return this.#windowUsed;
  }

  /** In the order of the first ids of their segments. */
  get days(): readonly Day[] {
    return (this.#days ??= this.#makeDays());
  }

  #makeDays(): Day[] {
    const byDay = new Map<number, Segment[]>();
    for (const segment of this.#segments.values()) {
      const day = dayOf(segment.hour);
      const own = byDay.get(day);
      if (own === undefined) byDay.set(day, [segment]);
      else own.push(segment);
    }
    return [...byDay].map(([day, segments]) => ({
      day,
      segments,
      isMerged: this.#merged.has(day),
      rows: segments.reduce((sum, { rows }) => sum + rows, 0),
      blocked: segments.reduce((sum, { blocked }) => sum + blocked, 0),
      minMs: segments.reduce((least, { minMs }) => Math.min(least, minMs), Infinity),
      maxMs: segments.reduce((most, { maxMs }) => Math.max(most, maxMs), -Infinity),
    }));
  }

  /** Runs inside a transaction; call `added` when that has been committed. */
  insert(rows: Rows, hour: number, rollup: Rollup): { segment: Segment; rows: SegmentRows } {
    const { firstId, lastId } = rows;
    const body = encodeRows(rows);
    // The merged sums of its day are incomplete now.
    this.#database.statement('delete from day where day = ?').run(dayOf(hour));
    this.#database
      .statement(
        `insert into segment (first_id, last_id, hour, rows, blocked, min_ms, max_ms,
         head, clients, permitted, denied, body) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        firstId,
        lastId,
        hour,
        rollup.rows,
        rollup.blocked,
        rollup.minMs,
        rollup.maxMs,
        rollup.head,
        rollup.clients,
        rollup.permitted,
        rollup.denied,
        body,
      );
    const { blocked, minMs, maxMs } = rollup;
    return {
      segment: { firstId, lastId, hour, rows: rollup.rows, blocked, minMs, maxMs },
      rows: new SegmentRows(body, lastId, maxMs),
    };
  }

  added(segment: Segment, rows: Rows): void {
    this.#merged.delete(dayOf(segment.hour));
    this.#note(segment);
    this.#keep(rows, segment.maxMs);
  }

  /** Hides everything at once; the disk space is freed in small steps. */
  flush(lastId: number): void {
    this.#database.transaction(() => {
      this.#database.setMeta(flushedKey, lastId);
      this.#database.exec('delete from day');
    });
    this.#segments.clear();
    this.#merged.clear();
    this.#window.clear();
    this.readyDays.clear();
    this.#windowUsed = 0;
    this.#days = undefined;
  }

  /** Deletes up to `most` flushed segments; returns how many. */
  sweepFlushed(most: number): number {
    const rows = this.#database
      .statement('select first_id from segment where first_id <= ? order by first_id limit ?')
      .all(this.#database.meta(flushedKey) ?? 0, most);
    for (const row of rows)
      this.#database.statement('delete from segment where first_id = ?').run(Number(row['first_id']));
    return rows.length;
  }

  /** Runs inside a transaction; call `removed` afterwards. */
  delete({ firstId, hour }: Segment): void {
    this.#database.statement('delete from segment where first_id = ?').run(firstId);
    this.#database.statement('delete from day where day = ?').run(dayOf(hour));
  }

  removed(segment: Segment): void {
    this.#segments.delete(segment.firstId);
    this.#merged.delete(dayOf(segment.hour));
    this.#forget(segment.firstId);
    this.readyDays.forget(segment);
    this.#days = undefined;
  }

  /** A rewritten segment may begin later than the old one: the order of ids is computed anew. */
  replaced(old: Segment, by: Segment): void {
    this.removed(old);
    const all = [...this.segments, by].toSorted((a, b) => a.firstId - b.firstId);
    this.#segments.clear();
    for (const segment of all) this.#segments.set(segment.firstId, segment);
  }

  setDay(day: number, rollup: Rollup): void {
    const { rows, blocked, minMs, maxMs, head, clients, permitted, denied } = rollup;
    this.#database
      .statement(
        `insert or replace into day (day, rows, blocked, min_ms, max_ms, head, clients, permitted, denied)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(day, rows, blocked, minMs, maxMs, head, clients, permitted, denied);
    this.#merged.add(day);
    this.#days = undefined;
  }

  /** The rows of a segment, valid until the next one is requested. Throws when they cannot be read. */
  rowsOf(segment: Segment, nowMs: number): Rows {
    const kept = this.#window.get(segment.firstId);
    if (kept !== undefined) return kept;
    const row = this.#database.statement('select body from segment where first_id = ?').get(segment.firstId);
    const body = blobOf(row, 'body');
    const { lastId, maxMs } = segment;
    if (maxMs <= nowMs - windowMs) return new SegmentRows(body, lastId, maxMs, this.#memory);
    const rows = new SegmentRows(body, lastId, maxMs);
    this.#keep(rows, maxMs);
    return rows;
  }

  partOf(segment: Segment, part: RollupPart): Uint8Array {
    const sql = `select ${part} from segment where first_id = ?`;
    return blobOf(this.#database.statement(sql).get(segment.firstId), part);
  }

  partOfDay(day: number, part: RollupPart): Uint8Array {
    return blobOf(this.#database.statement(`select ${part} from day where day = ?`).get(day), part);
  }

  rollupOf(segment: Segment): Rollup {
    const { rows, blocked, minMs, maxMs } = segment;
    const row = this.#database
      .statement('select head, clients, permitted, denied from segment where first_id = ?')
      .get(segment.firstId);
    const part = (name: RollupPart): Uint8Array => blobOf(row, name);
    return {
      rows,
      blocked,
      minMs,
      maxMs,
      head: part('head'),
      clients: part('clients'),
      permitted: part('permitted'),
      denied: part('denied'),
    };
  }

  /** Frees the memory of segments that are older than a day. */
  age(nowMs: number): void {
    for (const [firstId, rows] of this.#window) if (rows.maxMs <= nowMs - windowMs) this.#forget(firstId);
  }

  #note(segment: Segment): void {
    this.#segments.set(segment.firstId, segment);
    this.#days = undefined;
  }

  #keep(rows: Rows, maxMs: number): void {
    if (rows.sizeBytes > this.#windowBytes || maxMs === -Infinity) return;
    this.#window.set(rows.firstId, rows);
    this.#windowUsed += rows.sizeBytes;
    while (this.#windowUsed > this.#windowBytes) this.#forget(Math.min(...this.#window.keys()));
  }

  #forget(firstId: number): void {
    this.#windowUsed -= this.#window.get(firstId)?.sizeBytes ?? 0;
    this.#window.delete(firstId);
  }
}

function segmentOf(row: SqlRow): Segment {
  return {
    firstId: Number(row['first_id']),
    lastId: Number(row['last_id']),
    hour: Number(row['hour']),
    rows: Number(row['rows']),
    blocked: Number(row['blocked']),
    minMs: Number(row['min_ms']),
    maxMs: Number(row['max_ms']),
  };
}

function blobOf(row: SqlRow | undefined, column: string): Uint8Array {
  const value = row?.[column];
  if (!(value instanceof Uint8Array)) throw new RangeError(`a part of the history is missing: ${column}`);
  return value;
}
