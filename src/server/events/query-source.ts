// Where queries for events come from. The streams ask for them only while somebody listens; whoever has the
// records of the dns workers gives them in batches. Today that is the api thread itself, by its reader of
// traces; whoever keeps history later gives the same.

import type { RecordReader } from '#engine';
import { fitting, type Fitting } from './fitting.ts';
import { limits } from '#contract';
import { readQueryRow, type QueryRow, type RecordLayout } from './query-row.ts';

export interface QuerySource {
  /** Batches are given, at most one a second, until it is ended. */
  readonly begin: (give: (batch: Fitting<QueryRow>) => void) => void;
  readonly end: () => void;
}

export type Watcher = (reader: RecordReader, at: number, layout: RecordLayout) => void;

/** What takes the records off the rings. */
export interface Traces {
  /** Called with each record that is taken from now on; nothing: with none. */
  readonly watch: (watcher: Watcher | undefined) => void;
  /** Takes what has come. */
  readonly catchUp: () => unknown;
}

const batchEveryMs = 1_000;

export class TracedQueries implements QuerySource {
  readonly #traces: Traces;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #rows: QueryRow[] = [];
  #unread = 0;

  constructor(traces: Traces, everyMs = batchEveryMs) {
    this.#traces = traces;
    this.#everyMs = everyMs;
  }

  begin(give: (batch: Fitting<QueryRow>) => void): void {
    this.end();
    // What lies in the rings was asked before anybody listened.
    this.#traces.catchUp();
    this.#traces.watch((reader, at, layout) => this.#take(reader, at, layout));
    this.#timer = setInterval(() => this.#give(give), this.#everyMs).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#traces.watch(undefined);
    this.#empty();
  }

  /** A second may have a hundred thousand queries: only as many are read as an event can hold. */
  #take(reader: RecordReader, at: number, layout: RecordLayout): void {
    if (this.#rows.length < limits.eventItems) this.#rows.push(readQueryRow(reader, at, layout));
    else this.#unread++;
  }

  #give(give: (batch: Fitting<QueryRow>) => void): void {
    this.#traces.catchUp();
    if (this.#rows.length === 0) return;
    // Each worker has a ring of its own.
    const { kept, leftOut } = fitting(this.#rows.toSorted((one, other) => one.time - other.time));
    const batch = { kept, leftOut: leftOut + this.#unread };
    this.#empty();
    give(batch);
  }

  #empty(): void {
    this.#rows = [];
    this.#unread = 0;
  }
}
