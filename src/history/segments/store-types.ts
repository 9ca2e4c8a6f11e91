// What the store of the history is opened with, and what it tells, as plain data: that goes from thread to
// thread.

import type { Range } from './filter.ts';
import type { Statistics } from './statistics.ts';

/** The file was put aside; a part of a journal is lost; the disk cannot be written to; it can again. */
export type ReportKind = 'damage' | 'journal' | 'trouble' | 'well';

export interface HistoryOptions {
  readonly dataDir: string;
  readonly nowMs: number;
  /** Random, so that nobody outside can choose names that meet in one place. */
  readonly seeds: readonly [number, number];
  /** Tells a person what happened. */
  readonly report: (message: string, kind: ReportKind) => void;
  /** Decoded rows of the last day that stay in memory. */
  readonly windowBytes?: number;
  /** A block is closed when it has so many rows, even within its hour. */
  readonly blockRows?: number;
}

export interface HistoryFigures {
  readonly rows: number;
  readonly lastId: number;
  /** Of the oldest row; undefined when there is none. */
  readonly earliestMs: number | undefined;
  readonly segments: number;
  readonly sizeBytes: number;
  readonly windowBytes: number;
  /** Rows that found no place while the disk was in trouble. */
  readonly lost: number;
  /** What is wrong with the disk at the moment. */
  readonly trouble: string | undefined;
}

export interface ClientList {
  readonly clients: readonly { readonly id: number; readonly ip: string; readonly name: string }[];
  readonly isAll: boolean;
}

export interface StatisticsRange extends Range {
  /** With what is counted and not remembered: for statistics of the last 24 hours, and for nothing else. */
  readonly isLive?: boolean;
}

export interface StatisticsAnswer {
  readonly statistics: Statistics;
  readonly truncated: boolean;
}
