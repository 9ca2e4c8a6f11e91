// The queries since the last call, for live subscribers: a bounded number per batch, and how many were
// skipped.

import type { HistoryStore } from '../segments/history-store.ts';
import type { HistoryKeeper } from './keeper.ts';
import type { NewQueries } from './protocol.ts';

/** Per batch: a person cannot read more lines in a second. */
const maxRows = 200;
const limitMs = 100;

export interface NewestParts {
  readonly keeper: Pick<HistoryKeeper, 'store'>;
  /** A monotonic clock. */
  readonly clockMs: () => number;
  /** Wall-clock time: older queries are not new. */
  readonly sinceMs: number;
}

export class NewestQueries {
  readonly #parts: NewestParts;
  /** The newest query that is not new; determined as soon as the history is open. */
  #lastId: number | undefined;

  constructor(parts: NewestParts) {
    this.#parts = parts;
  }

  /** Undefined when there are none. */
  nextBatch(): NewQueries | undefined {
    const { keeper, clockMs } = this.#parts;
    const { store } = keeper;
    if (store === undefined) return undefined;
    const before = (this.#lastId ??= this.#lastBefore(store));
    const page = store.page({ start: 0, length: maxRows }, { limitMs, clockMs });
    const rows = page.rows.filter(({ id }) => id > before).toReversed();
    const [oldest] = rows;
    if (oldest === undefined) return undefined;
    this.#lastId = rows.at(-1)?.id ?? before;
    return { rows, skipped: oldest.id - before - 1 };
  }

  #lastBefore(store: HistoryStore): number {
    const { sinceMs: untilMs, clockMs } = this.#parts;
    const [newest] = store.page({ start: 0, length: 1, untilMs }, { limitMs, clockMs }).rows;
    const { lastId, rows } = store.figures();
    return newest?.id ?? lastId - rows;
  }
}
