// Deletes names and clients that no row uses any more, after retention has deleted the rows. Otherwise
// queries for random names, or from random addresses, would leave them on the disk for ever. A step covers
// one range of numbers: those that occur neither in the sums of days and segments nor in the open block are
// deleted at once, before a new row can use them.

import { CountsCursor } from './counts.ts';
import type { HistoryDatabase } from './database.ts';
import type { Dictionary } from './dictionary.ts';
import type { Parts } from './history-parts.ts';
import { decodeClients, decodeHead, type RollupPart } from './rollup-code.ts';
import { Column, type ColumnNumber, type Rows } from './rows.ts';
import type { SegmentIndex } from './segment-index.ts';

const rangeIds = 16_384;
const againAfterMs = 86_400_000;

/** Deletes unused texts of a history and clears the caches that hold their numbers. */
export class Sweep {
  readonly #parts: Parts;
  readonly #names: TextSweep;
  readonly #clients: TextSweep;

  constructor(parts: Parts) {
    const { database, index, names, clients } = parts;
    this.#parts = parts;
    this.#names = new TextSweep(database, index, names, {
      columns: [Column.name, Column.cname],
      listsIn: namesIn,
    });
    this.#clients = new TextSweep(database, index, clients, { columns: [Column.client], listsIn: clientsIn });
  }

  /** Rows were deleted; `isWanted`: the user wants nothing left of them, so sweep now. */
  markDue(isWanted = false): void {
    for (const sweep of [this.#names, this.#clients]) sweep.markDue(isWanted);
  }

  /** Sweeps one range; returns whether there is more to do. */
  step(open: Rows, nowMs: number): boolean {
    const { names, clients, labels, intake } = this.#parts;
    const ofNames = this.#names.step(open, nowMs);
    if (ofNames.dead.length > 0) {
      names.forget();
      intake.forgetNames();
    }
    if (ofNames.isMore || ofNames.dead.length > 0) return true;
    const { dead, isMore } = this.#clients.step(open, nowMs);
    if (dead.length > 0) {
      clients.forget();
      labels.forget(dead);
      intake.forgetClients();
    }
    return isMore || dead.length > 0;
  }
}

/** Where the numbers of a dictionary are used. */
interface Use {
  readonly columns: readonly ColumnNumber[];
  readonly listsIn: (read: (part: RollupPart) => Uint8Array) => Generator<Uint8Array>;
}

class TextSweep {
  readonly #database: HistoryDatabase;
  readonly #index: SegmentIndex;
  readonly #texts: Dictionary;
  readonly #use: Use;
  #isDue = false;
  #lastMs = -Infinity;
  /** Where the next range begins; -1 when there is nothing to do. */
  #at = -1;

  constructor(database: HistoryDatabase, index: SegmentIndex, texts: Dictionary, use: Use) {
    this.#database = database;
    this.#index = index;
    this.#texts = texts;
    this.#use = use;
  }

  markDue(isWanted: boolean): void {
    this.#isDue = true;
    if (isWanted) this.#lastMs = -Infinity;
  }

  /** Sweeps one range; returns the deleted numbers and whether there is more to do. */
  step(open: Rows, nowMs: number): { readonly isMore: boolean; readonly dead: readonly number[] } {
    if (this.#at < 0 && !this.#begin(nowMs)) return { isMore: false, dead: [] };
    const from = this.#at;
    const dead = this.#deadIn(from, open);
    const remove = this.#database.statement(`delete from ${this.#texts.table} where id = ?`);
    if (dead.length > 0)
      this.#database.transaction(() => {
        for (const id of dead) remove.run(id);
      });
    this.#at = from + rangeIds > this.#texts.lastId ? -1 : from + rangeIds;
    return { isMore: this.#at >= 0, dead };
  }

  #begin(nowMs: number): boolean {
    if (!this.#isDue || nowMs - this.#lastMs < againAfterMs) return false;
    this.#isDue = false;
    this.#lastMs = nowMs;
    this.#at = 0;
    return true;
  }

  #deadIn(from: number, open: Rows): number[] {
    const live = new Float64Array(rangeIds);
    for (const list of this.#lists()) addRange(list, from, live);
    for (const column of this.#use.columns) {
      const ids = open.column(column);
      for (let row = 0; row < open.length; row++) live[(ids[row] ?? 0) - from] = 1;
    }
    return this.#database
      .statement(`select id from ${this.#texts.table} where id >= ? and id < ?`)
      .all(from, from + rangeIds)
      .map((row) => Number(row['id']))
      .filter((id) => live[id - from] === 0);
  }

  *#lists(): Generator<Uint8Array> {
    const index = this.#index;
    const { listsIn } = this.#use;
    for (const { day, isMerged, segments } of index.days) {
      if (isMerged) yield* listsIn((part) => index.partOfDay(day, part));
      else for (const segment of segments) yield* listsIn((part) => index.partOf(segment, part));
    }
  }
}

/** Queried names, and names in answers that were blocked. */
function* namesIn(read: (part: RollupPart) => Uint8Array): Generator<Uint8Array> {
  yield read('permitted');
  yield read('denied');
  const targets = decodeHead(read('head')).counts.get(Column.cname);
  if (targets !== undefined) yield targets;
}

function* clientsIn(read: (part: RollupPart) => Uint8Array): Generator<Uint8Array> {
  yield decodeClients(read('clients')).totals;
}

function addRange(list: Uint8Array, from: number, sums: Float64Array): void {
  const cursor = new CountsCursor(list);
  while (cursor.bucket >= 0 && cursor.firstId < from) cursor.next();
  for (; cursor.bucket >= 0 && cursor.firstId < from + rangeIds; cursor.next()) cursor.addTo(sums, from);
}
