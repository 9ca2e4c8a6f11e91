// The source of query events. The history thread, which reads the records of the dns workers, sends new
// queries once a second. The streams subscribe only while a reader wants query events.

import type { NewQueries } from '#history/thread';
import { truncate, type Truncated } from './truncate.ts';
import { queryRowOf, type QueryRow } from './query-row.ts';

export interface QuerySource {
  /** Calls `onBatch` at most once a second, until `stop`. */
  readonly start: (onBatch: (batch: Truncated<QueryRow>) => void) => void;
  readonly stop: () => void;
}

export interface QueryFeed {
  /** Subscribes to new queries; returns the function that unsubscribes. */
  readonly subscribeToQueries: (listener: (queries: NewQueries) => void) => () => void;
}

export class HistoryQuerySource implements QuerySource {
  readonly #feed: QueryFeed;
  #unsubscribe = (): void => undefined;

  constructor(feed: QueryFeed) {
    this.#feed = feed;
  }

  start(onBatch: (batch: Truncated<QueryRow>) => void): void {
    this.stop();
    this.#unsubscribe = this.#feed.subscribeToQueries(({ rows, skipped }) => {
      // Each dns worker has its own ring, so the rows of all workers are not in order.
      const { kept, leftOut } = truncate(
        rows.map(queryRowOf).toSorted((one, other) => one.time - other.time),
      );
      onBatch({ kept, leftOut: leftOut + skipped });
    });
  }

  stop(): void {
    this.#unsubscribe();
    this.#unsubscribe = () => undefined;
  }
}
