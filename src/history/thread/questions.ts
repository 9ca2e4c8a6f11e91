// The questions that the api thread may ask the history, and their results: plain data that can be sent to
// another thread. All questions take the same path, which does not depend on their names. answers.ts answers
// them on the history thread.

import type { RowFilter, Range } from '../segments/filter.ts';
import type { ClientList, HistoryFigures, StatisticsRange } from '../segments/store-types.ts';
import type { Page, PageRequest } from '../segments/page.ts';
import type { Counts, ListSum, SlotOf, Summary } from '../segments/statistics.ts';
import type { UsageRequest, UsageSlice } from '../segments/usage.ts';

/** A range of time, narrowed by a filter. */
export interface Scope extends StatisticsRange {
  readonly filter?: RowFilter;
  /** The filter is incomplete: the answer must say that it was cut. */
  readonly isPartial?: boolean;
}

/** Whether the time was over before everything was read: then the answer holds the newest. */
interface Truncatable {
  readonly truncated: boolean;
}

export interface PageResult extends Page {
  /** The last id that was given to a row; 0 when there is none. */
  readonly lastId: number;
  /** When the history file was created: pages with different times do not belong together. */
  readonly begunMs: number;
}

export interface SummaryResult extends Summary, Truncatable {
  /** All known clients, at any time. */
  readonly clientsTotal: number;
  /** Queries in the last 30 s. */
  readonly lately: number;
}

/** The part of a summary that takes little time for any range. */
export interface TotalsResult extends Totals {
  readonly activeClients: number;
  readonly types: Counts;
}

interface UpstreamResult {
  /** `address#port`. */
  readonly upstream: string;
  readonly count: number;
  readonly meanUs: number;
  readonly deviationUs: number;
}

export interface UpstreamsResult extends Truncatable {
  readonly total: number;
  readonly blocked: number;
  readonly cached: number;
  readonly forwarded: number;
  /** The most used first. */
  readonly upstreams: readonly UpstreamResult[];
}

export interface TopQuestion extends Scope {
  readonly isBlocked: boolean;
  readonly count: number;
}

interface Totals extends Truncatable {
  readonly total: number;
  readonly blocked: number;
}

export interface TopDomainsResult extends Totals {
  readonly domains: readonly { readonly domain: string; readonly count: number }[];
}

export interface ClientResult {
  readonly ip: string;
  /** '' when the name is not known. */
  readonly name: string;
  readonly count: number;
}

export interface TopClientsResult extends Totals {
  readonly clients: readonly ClientResult[];
}

interface SlotsResult extends Truncatable {
  /** Slots with at least one query, ascending. */
  readonly slots: readonly SlotOf[];
}

export interface ClientSlotsQuestion extends Scope {
  /** How many clients get their own number; when there are more, the last entry is the sum of the others. */
  readonly most: number;
  /** How many slots will be shown, including empty ones, if that is more than those with queries. */
  readonly slots?: number;
  /** Whether the clients are the same in every slot, or the busiest of each. */
  readonly isRankedOverall: boolean;
}

export interface ClientSlotsResult extends Truncatable {
  /** Clients with their own number, the busiest first. */
  readonly clients: readonly ClientResult[];
  /** Number and sum of the others. */
  readonly others: { readonly clients: number; readonly count: number };
  readonly slots: readonly {
    readonly fromSeconds: number;
    /** By index in `clients`. */
    readonly counts: readonly (readonly [place: number, count: number])[];
    readonly others: number;
  }[];
}

interface ListsResult extends Truncatable {
  readonly total: number;
  readonly blocked: number;
  readonly lists: readonly ListSum[];
}

/** Names by number with how often they were queried, the most frequent first. */
export interface NameCountsResult extends Totals {
  readonly names: Uint32Array;
  readonly counts: Float64Array;
}

export interface TextsQuestion {
  readonly names: Uint32Array;
  readonly clients: Uint32Array;
}

export interface TextsResult {
  /** In the order of the question, one per line. */
  readonly names: string;
  readonly clients: readonly { readonly ip: string; readonly name: string }[];
}

export interface SuggestionsResult {
  /** The most frequent first, permitted ones before blocked ones. */
  readonly domains: readonly string[];
  readonly clients: readonly ClientResult[];
  readonly upstreams: readonly string[];
}

interface HistoryQuestions {
  readonly page: { readonly input: PageRequest; readonly result: PageResult };
  readonly summary: { readonly input: Scope; readonly result: SummaryResult };
  readonly totals: { readonly input: Scope; readonly result: TotalsResult };
  readonly upstreams: { readonly input: Scope; readonly result: UpstreamsResult };
  readonly topDomains: { readonly input: TopQuestion; readonly result: TopDomainsResult };
  readonly topClients: { readonly input: TopQuestion; readonly result: TopClientsResult };
  readonly slots: { readonly input: Scope; readonly result: SlotsResult };
  readonly clientSlots: { readonly input: ClientSlotsQuestion; readonly result: ClientSlotsResult };
  readonly lists: { readonly input: Scope; readonly result: ListsResult };
  readonly nameCounts: {
    readonly input: Scope & { readonly most: number };
    readonly result: NameCountsResult;
  };
  readonly usage: { readonly input: UsageRequest; readonly result: UsageSlice };
  readonly texts: { readonly input: TextsQuestion; readonly result: TextsResult };
  readonly suggestions: {
    readonly input: Range & { readonly count: number };
    readonly result: SuggestionsResult;
  };
  /** All clients, the newest first, at most this many. */
  readonly clients: { readonly input: { readonly most: number }; readonly result: ClientList };
  readonly figures: { readonly input: undefined; readonly result: HistoryFigures };
  readonly flush: { readonly input: undefined; readonly result: undefined };
}

export type QuestionName = keyof HistoryQuestions;
export type QuestionInput<N extends QuestionName> = HistoryQuestions[N]['input'];
export type QuestionResult<N extends QuestionName> = HistoryQuestions[N]['result'];

export interface CallOptions {
  /** How long the answer may take; then it is cut. */
  readonly limitMs: number;
  /** Aborted when the caller does not need the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** `problem` is the user's explanation: the thread is not running, or the disk is in trouble. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export interface HistoryReader {
  /** Never rejects, and ends not much later than the limit. */
  query<N extends QuestionName>(
    name: N,
    question: QuestionInput<N>,
    options: CallOptions,
  ): Promise<Answer<QuestionResult<N>>>;
}

/** Used while there is no history thread. */
export function noHistory(problem: string): HistoryReader {
  return {
    query: () => Promise.resolve({ ok: false, problem }),
  };
}
