// The queries that came since it was looked at last, for whoever watches them live: a bounded number at a
// time, and how many more there were.

import type { HistoryStore } from '../segments/history-store.ts';
import type { HistoryKeeper } from './keeper.ts';
import type { NewQueries } from './protocol.ts';

/** At a time; nobody reads more than so many lines a second. */
const mostRows = 200;
const limitMs = 100;

export interface NewestParts {
  readonly keeper: Pick<HistoryKeeper, 'store'>;
  /** One that never jumps. */
  readonly clockMs: () => number;
  /** By the wall clock: older ones are not new. */
  readonly sinceMs: number;
}

export class NewestQueries {
  readonly #parts: NewestParts;
  /** Of what is not new; it is looked for as soon as the history is open. */
  #lastId: number | undefined;

  constructor(parts: NewestParts) {
    this.#parts = parts;
  }

  /** Nothing when there are none. */
  take(): NewQueries | undefined {
    const { keeper, clockMs } = this.#parts;
    const { store } = keeper;
    if (store === undefined) return undefined;
    const before = (this.#lastId ??= this.#lastBefore(store));
    const page = store.page({ start: 0, length: mostRows }, { limitMs, clockMs });
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
