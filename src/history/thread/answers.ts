// Answers the questions of questions.ts on the thread that has the store. Numbers become texts here and long
// results are cut here, so that little data goes from thread to thread.

import type { BudgetOptions } from '../segments/budget.ts';
import { always } from '../segments/filter.ts';
import { hiddenClient, hiddenName } from '../segments/hidden.ts';
import type { HistoryStore } from '../segments/history-store.ts';
import { lastDay } from '../segments/last-day.ts';
import { Column } from '../segments/rows.ts';
import type { StatisticsAnswer } from '../segments/store-types.ts';
import type { Statistics } from '../segments/statistics.ts';
import { classesOfStatuses, StatusClass } from '../segments/statuses.ts';
import { clientSlotsOf } from './client-slots.ts';
import type {
  QuestionInput,
  QuestionName,
  Scope,
  QuestionResult,
  ClientResult,
  SuggestionsResult,
  SummaryResult,
  TopClientsResult,
  TotalsResult,
  TopDomainsResult,
  UpstreamsResult,
  TopQuestion,
} from './questions.ts';
import { nameCountsOf, textsOf } from './usage-answers.ts';

const latelyMs = 30_000;
/** Counting the clients of all times takes longer than a summary may. */
const recountEveryMs = 300_000;
/** The warm-up also uses a range that begins this long after a slot: it has no precomputed sums. */
const offSlotMs = 1_500_000;
/** How often each question is run to get most of its code compiled. */
const warmTimes = 3;

/** Answers one question at a time; passes on errors that the store cannot repair. */
export class Answerer {
  readonly #store: HistoryStore;
  /** Questions that were not warmed up yet. */
  readonly #cold: ('summary' | 'upstreams' | 'topDomains' | 'topClients' | 'clientSlots' | 'slots')[] = [
    'slots',
    'clientSlots',
    'topClients',
    'topDomains',
    'upstreams',
    'summary',
  ];
  #clientsTotal = 0;
  #countedMs = -Infinity;

  constructor(store: HistoryStore) {
    this.#store = store;
  }

  /** One step of preparation for later questions; returns whether there is more to do. */
  prepare(nowMs: number, budget: BudgetOptions): boolean {
    if (this.#store.prepare()) return true;
    if (!this.#isCountDue(nowMs)) return this.#warmUp(nowMs, budget);
    this.#store.read(() => this.#countClients(nowMs, budget));
    return true;
  }

  /** Once after start, so that the first request does not wait for compilation or for pages of the file. */
  #warmUp(nowMs: number, budget: BudgetOptions): boolean {
    const name = this.#cold.pop();
    if (name === undefined) return false;
    const question = {
      ...lastDay(nowMs),
      isLive: true,
      isBlocked: false,
      count: 10,
      most: 10,
      isRankedOverall: true,
    };
    for (let time = 0; time < warmTimes; time++) {
      this.answer(name, question, nowMs, budget);
      this.answer(name, { ...question, fromMs: question.fromMs + offSlotMs }, nowMs, budget);
    }
    return true;
  }

  /** `nowMs` is wall-clock time. */
  answer<N extends QuestionName>(
    name: N,
    asked: QuestionInput<N>,
    nowMs: number,
    budget: BudgetOptions,
  ): QuestionResult<N> {
    // The table maps each question's name to its function.
    const answer = this.#answers[name] as (
      asked: QuestionInput<N>,
      nowMs: number,
      budget: BudgetOptions,
    ) => QuestionResult<N>;
    // Sums are read on demand, so the file may also turn out to be broken here.
    return this.#store.read(() => answer(asked, nowMs, budget));
  }

  readonly #answers: {
    readonly [N in QuestionName]: (
      asked: QuestionInput<N>,
      nowMs: number,
      budget: BudgetOptions,
    ) => QuestionResult<N>;
  } = {
    page: (request, _, budget) => ({
      ...this.#store.page(request, budget),
      lastId: this.#store.figures().lastId,
      begunMs: this.#store.begunMs,
    }),
    summary: (scope, nowMs, budget) => this.#summary(scope, nowMs, budget),
    totals: (scope, _, budget) => this.#totals(scope, budget),
    upstreams: (scope, _, budget) => this.#upstreams(scope, budget),
    topDomains: (question, _, budget) => this.#topDomains(question, budget),
    topClients: (question, _, budget) => this.#topClients(question, budget),
    slots: (scope, _, budget) => {
      const { statistics, truncated } = this.#statistics(scope, budget);
      return { slots: statistics.slots(), truncated };
    },
    clientSlots: (question, _, budget) => {
      const { statistics, truncated } = this.#statistics(question, budget);
      return { ...clientSlotsOf(statistics, question, this.#store), truncated };
    },
    lists: (scope, _, budget) => {
      const { statistics, truncated } = this.#statistics(scope, budget);
      return { total: statistics.total, blocked: statistics.blocked, lists: statistics.lists(), truncated };
    },
    nameCounts: (question, _, budget) => nameCountsOf(this.#store, question, budget),
    usage: (request, _, budget) => this.#store.usage(request, budget),
    texts: (question) => textsOf(this.#store, question),
    suggestions: (question, _, budget) => this.#suggestions(question, budget),
    clients: ({ most }, _, budget) => this.#store.clients(most, budget),
    figures: () => this.#store.figures(),
    flush: () => this.#flush(),
  };

  #statistics(scope: Scope, budget: BudgetOptions): StatisticsAnswer {
    const { fromMs, untilMs, filter = {}, isPartial, isLive = false } = scope;
    const answer = this.#store.statistics({ fromMs, untilMs, isLive }, filter, budget);
    return isPartial === true ? { ...answer, truncated: true } : answer;
  }

  #summary(scope: Scope, nowMs: number, budget: BudgetOptions): SummaryResult {
    const { statistics, truncated } = this.#statistics(scope, budget);
    const summary = statistics.summary();
    const lately = this.#store.countSince(nowMs - latelyMs, scope.filter ?? {}, budget);
    // Kept, so that every summary until the next count includes the newcomers of this one.
    this.#clientsTotal = Math.max(this.#allClients(nowMs, budget), summary.activeClients);
    return { ...summary, truncated, clientsTotal: this.#clientsTotal, lately };
  }

  /** As counted last, if possible by `prepare`. */
  #allClients(nowMs: number, budget: BudgetOptions): number {
    if (this.#countedMs === -Infinity) this.#countClients(nowMs, budget);
    return this.#clientsTotal;
  }

  #isCountDue(nowMs: number): boolean {
    return Math.abs(nowMs - this.#countedMs) >= recountEveryMs;
  }

  #countClients(nowMs: number, budget: BudgetOptions): void {
    this.#countedMs = nowMs;
    const { statistics, truncated } = this.#statistics(always, budget);
    if (!truncated) this.#clientsTotal = statistics.topClients('all', Infinity).length;
  }

  #totals(scope: Scope, budget: BudgetOptions): TotalsResult {
    const { statistics, truncated } = this.#statistics(scope, budget);
    const { total, blocked } = statistics;
    const activeClients = statistics.topClients('all', Infinity).length;
    return { total, blocked, activeClients, types: statistics.counts(Column.type), truncated };
  }

  #upstreams(scope: Scope, budget: BudgetOptions): UpstreamsResult {
    const { statistics, truncated } = this.#statistics(scope, budget);
    const { total, blocked, cached, forwarded } = totalsOf(statistics);
    const upstreams = statistics.upstreams().map(({ id, count, meanUs, deviationUs }) => ({
      upstream: this.#store.upstreamOf(id),
      count,
      meanUs,
      deviationUs,
    }));
    return { total, blocked, cached, forwarded, upstreams, truncated };
  }

  #topDomains(question: TopQuestion, budget: BudgetOptions): TopDomainsResult {
    const { statistics, truncated } = this.#statistics(question, budget);
    // One more, because the hidden name is left out.
    const ranked = statistics.topNames(question.isBlocked ? 'blocked' : 'permitted', question.count + 1);
    const domains = ranked
      .map(({ id, count }) => ({ domain: this.#store.nameOf(id), count }))
      .filter(({ domain }) => domain !== hiddenName)
      .slice(0, question.count);
    return { total: statistics.total, blocked: statistics.blocked, domains, truncated };
  }

  #topClients(question: TopQuestion, budget: BudgetOptions): TopClientsResult {
    const { statistics, truncated } = this.#statistics(question, budget);
    const ranked = statistics.topClients(question.isBlocked ? 'blocked' : 'all', question.count + 1);
    const clients = ranked
      .map((one) => this.#client(one))
      .filter(({ ip }) => ip !== hiddenClient)
      .slice(0, question.count);
    return { total: statistics.total, blocked: statistics.blocked, clients, truncated };
  }

  #client({ id, count }: { readonly id: number; readonly count: number }): ClientResult {
    return { ...this.#store.clientOf(id), count };
  }

  #suggestions({ count, ...range }: QuestionInput<'suggestions'>, budget: BudgetOptions): SuggestionsResult {
    const { statistics } = this.#statistics(range, budget);
    const names = [...statistics.topNames('permitted', count), ...statistics.topNames('blocked', count)];
    return {
      domains: [...new Set(names.map(({ id }) => this.#store.nameOf(id)))],
      clients: statistics.topClients('all', count).map((one) => this.#client(one)),
      upstreams: statistics.upstreams().map(({ id }) => this.#store.upstreamOf(id)),
    };
  }

  /** Throws when the disk cannot be written to, so that the caller does not report success. */
  #flush(): undefined {
    this.#countedMs = -Infinity;
    if (this.#store.flush()) return undefined;
    const { trouble = 'the disk cannot be written to' } = this.#store.figures();
    throw new Error(`nothing was deleted, because ${trouble}`);
  }
}

/** The totals of a summary, without counting names. */
function totalsOf(statistics: Statistics) {
  let [cached, forwarded] = [0, 0];
  for (const [status, count] of statistics.counts(Column.status)) {
    if (classesOfStatuses[status] === StatusClass.cached) cached += count;
    if (classesOfStatuses[status] === StatusClass.forwarded) forwarded += count;
  }
  return { total: statistics.total, blocked: statistics.blocked, cached, forwarded };
}
