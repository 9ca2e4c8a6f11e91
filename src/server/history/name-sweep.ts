// Names that no row uses any more go, after retention has taken the rows: else a client that asks for random
// names would leave them on the disk for ever. A step looks at one range of numbers: which of them occur in
// the sums of days and segments or in the open block; the others are deleted at once, before any new row can
// use them again.

import { CountsCursor } from './counts.ts';
import type { HistoryDatabase } from './database.ts';
import type { Dictionary } from './dictionary.ts';
import { decodeHead, type RollupPart } from './rollup-code.ts';
import { Column, type Rows } from './rows.ts';
import type { SegmentIndex } from './segment-index.ts';

const rangeIds = 16_384;
const againAfterMs = 86_400_000;

export class NameSweep {
  readonly #database: HistoryDatabase;
  readonly #index: SegmentIndex;
  readonly #names: Dictionary;
  #isDue = false;
  #lastMs = -Infinity;
  /** Where the next range begins; -1: nothing to do. */
  #at = -1;

  constructor(database: HistoryDatabase, index: SegmentIndex, names: Dictionary) {
    this.#database = database;
    this.#index = index;
    this.#names = names;
  }

  /** Rows have gone. */
  isDue(): void {
    this.#isDue = true;
  }

  /** One range; how many names went, and whether there is more to do. */
  step(open: Rows, nowMs: number): { readonly isMore: boolean; readonly removed: number } {
    if (this.#at < 0 && !this.#begin(nowMs)) return { isMore: false, removed: 0 };
    const from = this.#at;
    const dead = this.#deadIn(from, open);
    const remove = this.#database.statement('delete from name where id = ?');
    if (dead.length > 0)
      this.#database.transaction(() => {
        for (const id of dead) remove.run(id);
      });
    this.#at = from + rangeIds > this.#names.lastId ? -1 : from + rangeIds;
    return { isMore: this.#at >= 0, removed: dead.length };
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
    const names = open.column(Column.name);
    const targets = open.column(Column.cname);
    for (let row = 0; row < open.length; row++) {
      live[(names[row] ?? 0) - from] = 1;
      live[(targets[row] ?? 0) - from] = 1;
    }
    return this.#database
      .statement('select id from name where id >= ? and id < ?')
      .all(from, from + rangeIds)
      .map((row) => Number(row['id']))
      .filter((id) => live[id - from] === 0);
  }

  *#lists(): Generator<Uint8Array> {
    const index = this.#index;
    for (const { day, isMerged, segments } of index.days) {
      if (isMerged) yield* listsIn((part) => index.partOfDay(day, part));
      else for (const segment of segments) yield* listsIn((part) => index.partOf(segment, part));
    }
  }
}

/** Names that were asked for, and those that answers lead to. */
function* listsIn(read: (part: RollupPart) => Uint8Array): Generator<Uint8Array> {
  yield read('permitted');
  yield read('denied');
  const targets = decodeHead(read('head')).counts.get(Column.cname);
  if (targets !== undefined) yield targets;
}

function addRange(list: Uint8Array, from: number, sums: Float64Array): void {
  const cursor = new CountsCursor(list);
  while (cursor.bucket >= 0 && cursor.firstId < from) cursor.next();
  for (; cursor.bucket >= 0 && cursor.firstId < from + rangeIds; cursor.next()) cursor.addTo(sums, from);
}
