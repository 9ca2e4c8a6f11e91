// The options and the figures of the history store, as plain data that can be sent to other threads.

import type { Range } from './filter.ts';
import type { Statistics } from './statistics.ts';

/** A file was put aside; a part of a journal is lost; the disk cannot be written to; it works again. */
export type ReportKind = 'damage' | 'journal' | 'trouble' | 'well';

export interface HistoryOptions {
  readonly dataDir: string;
  readonly nowMs: number;
  /** Random, so that an attacker cannot choose names that collide in the cache. */
  readonly seeds: readonly [number, number];
  /** Reports to the user. */
  readonly report: (message: string, kind: ReportKind) => void;
  /** Limit for decoded rows of the last day in memory. */
  readonly windowBytes?: number;
  /** A block with this many rows is closed, even within its hour. */
  readonly blockRows?: number;
}

export interface HistoryFigures {
  readonly rows: number;
  readonly lastId: number;
  /** Time of the oldest row; undefined when there is none. */
  readonly earliestMs: number | undefined;
  readonly segments: number;
  readonly sizeBytes: number;
  readonly windowBytes: number;
  /** Rows that were dropped while the disk could not be written to. */
  readonly lost: number;
  /** The current problem with the disk. */
  readonly trouble: string | undefined;
}

export interface ClientList {
  readonly clients: readonly { readonly id: number; readonly ip: string; readonly name: string }[];
  readonly isAll: boolean;
}

export interface StatisticsRange extends Range {
  /** Adds queries that are counted but not stored: only for statistics of the last 24 hours. */
  readonly isLive?: boolean;
}

export interface StatisticsAnswer {
  readonly statistics: Statistics;
  readonly truncated: boolean;
}
