// What the api thread may ask of the history, and what it is told: plain data, so that questions and answers
// can go from thread to thread. One way for all of them; whoever carries them needs to know none. Where the
// store is, answers.ts answers each.

import type { RowFilter, Range } from '../segments/filter.ts';
import type { ClientList, HistoryFigures, StatisticsRange } from '../segments/store-types.ts';
import type { Page, PageRequest } from '../segments/page.ts';
import type { Counts, ListSum, SlotOf, Summary } from '../segments/statistics.ts';
import type { UsageRequest, UsageSlice } from '../segments/usage.ts';

/** A range of time, narrowed by a filter. */
export interface Scope extends StatisticsRange {
  readonly filter?: RowFilter;
  /** The filter could not be made whole: the answer is to say that it was cut. */
  readonly isPartial?: boolean;
}

/** Whether the time was over before everything was seen: then the answer holds the newest. */
interface Truncatable {
  readonly truncated: boolean;
}

export interface PageResult extends Page {
  /** The id that was given last, 0 when none was. */
  readonly lastId: number;
  /** When the file of the history was begun: pages with another time do not belong together. */
  readonly begunMs: number;
}

export interface SummaryResult extends Summary, Truncatable {
  /** All clients that are known, whenever they asked. */
  readonly clientsTotal: number;
  /** Queries in the last 30 s. */
  readonly lately: number;
}

/** The part of a summary that takes little time however long the range is. */
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
  /** '' when it is not known. */
  readonly name: string;
  readonly count: number;
}

export interface TopClientsResult extends Totals {
  readonly clients: readonly ClientResult[];
}

interface SlotsResult extends Truncatable {
  /** Those with at least one query, ascending. */
  readonly slots: readonly SlotOf[];
}

export interface ClientSlotsQuestion extends Scope {
  /** Clients that get a number of their own; when there are more, the last place is for their sum. */
  readonly most: number;
  /** How many slots will be told, empty ones too, when they are more than those with queries. */
  readonly slots?: number;
  /** Whether those are the same in every slot, or the busiest of each. */
  readonly isRankedOverall: boolean;
}

export interface ClientSlotsResult extends Truncatable {
  /** Those that have a number of their own, the busiest first. */
  readonly clients: readonly ClientResult[];
  /** Sum and number of the others. */
  readonly others: { readonly clients: number; readonly count: number };
  readonly slots: readonly {
    readonly fromSeconds: number;
    /** By place in `clients`. */
    readonly counts: readonly (readonly [place: number, count: number])[];
    readonly others: number;
  }[];
}

interface ListsResult extends Truncatable {
  readonly total: number;
  readonly blocked: number;
  readonly lists: readonly ListSum[];
}

/** Names by number with how often they were asked for, the most frequent first. */
export interface NameCountsResult extends Totals {
  readonly names: Uint32Array;
  readonly counts: Float64Array;
}

export interface TextsQuestion {
  readonly names: Uint32Array;
  readonly clients: Uint32Array;
}

export interface TextsResult {
  /** In the order of the question, one to a line. */
  readonly names: string;
  readonly clients: readonly { readonly ip: string; readonly name: string }[];
}

export interface SuggestionsResult {
  /** The most asked for first, permitted ones before blocked ones. */
  readonly domains: readonly string[];
  readonly clients: readonly ClientResult[];
  readonly upstreams: readonly string[];
}

interface HistoryQuestions {
  readonly page: { readonly asked: PageRequest; readonly told: PageResult };
  readonly summary: { readonly asked: Scope; readonly told: SummaryResult };
  readonly totals: { readonly asked: Scope; readonly told: TotalsResult };
  readonly upstreams: { readonly asked: Scope; readonly told: UpstreamsResult };
  readonly topDomains: { readonly asked: TopQuestion; readonly told: TopDomainsResult };
  readonly topClients: { readonly asked: TopQuestion; readonly told: TopClientsResult };
  readonly slots: { readonly asked: Scope; readonly told: SlotsResult };
  readonly clientSlots: { readonly asked: ClientSlotsQuestion; readonly told: ClientSlotsResult };
  readonly lists: { readonly asked: Scope; readonly told: ListsResult };
  readonly nameCounts: {
    readonly asked: Scope & { readonly most: number };
    readonly told: NameCountsResult;
  };
  readonly usage: { readonly asked: UsageRequest; readonly told: UsageSlice };
  readonly texts: { readonly asked: TextsQuestion; readonly told: TextsResult };
  readonly suggestions: {
    readonly asked: Range & { readonly count: number };
    readonly told: SuggestionsResult;
  };
  /** All that ever asked, the newest first, at most so many. */
  readonly clients: { readonly asked: { readonly most: number }; readonly told: ClientList };
  readonly figures: { readonly asked: undefined; readonly told: HistoryFigures };
  readonly flush: { readonly asked: undefined; readonly told: undefined };
}

export type QuestionName = keyof HistoryQuestions;
export type QuestionInput<N extends QuestionName> = HistoryQuestions[N]['asked'];
export type QuestionResult<N extends QuestionName> = HistoryQuestions[N]['told'];

export interface CallOptions {
  /** How long the answer may take; then it ends with what there is. */
  readonly limitMs: number;
  /** The caller went away: nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** `problem` says to a person why there is no answer: the thread is not there, or the disk is in trouble. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export interface HistoryReader {
  /** Never rejects, and ends not much later than the limit. */
  ask<N extends QuestionName>(
    name: N,
    question: QuestionInput<N>,
    options: CallOptions,
  ): Promise<Answer<QuestionResult<N>>>;
}

/** While there is no history. */
export function noHistory(problem: string): HistoryReader {
  return {
    ask: () => Promise.resolve({ ok: false, problem }),
  };
}
