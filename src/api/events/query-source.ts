// Where queries for events come from. The streams ask for them only while somebody listens; the history,
// which takes the records of the dns workers, tells what has come, each second.

import type { NewQueries } from '#history/thread';
import { fitting, type Fitting } from './fitting.ts';
import { queryRowOf, type QueryRow } from './query-row.ts';

export interface QuerySource {
  /** Batches are given, at most one a second, until it is ended. */
  readonly begin: (give: (batch: Fitting<QueryRow>) => void) => void;
  readonly end: () => void;
}

export interface Followed {
  /** Tells new queries until the way to end it is used. */
  readonly followQueries: (listener: (queries: NewQueries) => void) => () => void;
}

export class FollowedQueries implements QuerySource {
  readonly #followed: Followed;
  #stop = (): void => undefined;

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  begin(give: (batch: Fitting<QueryRow>) => void): void {
    this.end();
    this.#stop = this.#followed.followQueries(({ rows, skipped }) => {
      // Each worker has a ring of its own.
      const { kept, leftOut } = fitting(rows.map(queryRowOf).toSorted((one, other) => one.time - other.time));
      give({ kept, leftOut: leftOut + skipped });
    });
  }

  end(): void {
    this.#stop();
    this.#stop = () => undefined;
  }
}
