// The queries that came since it was looked at last, for whoever watches them live: a bounded number at a
// time, and how many more there were.

import type { HistoryKeeper } from './keeper.ts';
import type { NewQueries } from './protocol.ts';

/** At a time; nobody reads more than so many lines a second. */
const mostRows = 200;
const limitMs = 100;

export class NewestQueries {
  readonly #keeper: Pick<HistoryKeeper, 'store'>;
  readonly #clockMs: () => number;
  #lastId: number;

  constructor(keeper: Pick<HistoryKeeper, 'store'>, clockMs: () => number) {
    this.#keeper = keeper;
    this.#clockMs = clockMs;
    this.#lastId = keeper.store?.figures().lastId ?? 0;
  }

  /** Nothing when there are none. */
  take(): NewQueries | undefined {
    const budget = { limitMs, clockMs: this.#clockMs };
    const page = this.#keeper.store?.page({ start: 0, length: mostRows }, budget);
    const before = this.#lastId;
    const rows = page?.rows.filter(({ id }) => id > before).toReversed() ?? [];
    const [oldest] = rows;
    if (oldest === undefined) return undefined;
    this.#lastId = rows.at(-1)?.id ?? before;
    return { rows, skipped: oldest.id - before - 1 };
  }
}
