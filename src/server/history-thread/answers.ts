// Answers the questions of reader.ts where the store is. Numbers become texts here, and what is long is cut
// here, so that little has to go from thread to thread.

import type { BudgetOptions } from '../history/budget.ts';
import { always } from '../history/filter.ts';
import type { HistoryStore, StatisticsAnswer } from '../history/history-store.ts';
import { hiddenClient, hiddenName } from '../history/intake.ts';
import { Column } from '../history/rows.ts';
import type { Statistics } from '../history/statistics.ts';
import { classesOfStatuses, StatusClass } from '../history/statuses.ts';
import { clientSlotsOf } from './client-slots.ts';
import type {
  Asked,
  QuestionName,
  Scope,
  Told,
  ToldClient,
  ToldSuggestions,
  ToldSummary,
  ToldTopClients,
  ToldTotals,
  ToldTopDomains,
  ToldUpstreams,
  TopQuestion,
} from './reader.ts';
import { nameCountsOf, textsOf } from './usage-answers.ts';

const latelyMs = 30_000;
/** Counting all clients of all times takes longer than a summary may. */
const recountEveryMs = 300_000;

/** One question at a time; what the store throws and cannot mend comes out of it. */
export class Answerer {
  readonly #store: HistoryStore;
  #clientsTotal = 0;
  #countedMs = -Infinity;

  constructor(store: HistoryStore) {
    this.#store = store;
  }

  /** `nowMs` is the wall clock's. */
  answer<N extends QuestionName>(name: N, asked: Asked<N>, nowMs: number, budget: BudgetOptions): Told<N> {
    // The table has each question's own function under its own name.
    const answer = this.#answers[name] as (asked: Asked<N>, nowMs: number, budget: BudgetOptions) => Told<N>;
    // Sums are read when they are looked at: also then may a file turn out to be broken.
    return this.#store.read(() => answer(asked, nowMs, budget));
  }

  readonly #answers: {
    readonly [N in QuestionName]: (asked: Asked<N>, nowMs: number, budget: BudgetOptions) => Told<N>;
  } = {
    page: (request, _, budget) => ({
      ...this.#store.page(request, budget),
      lastId: this.#store.figures().lastId,
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
      return { ...clientSlotsOf(statistics, question, (id) => this.#store.clientOf(id)), truncated };
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

  #statistics({ fromMs, untilMs, filter, isPartial }: Scope, budget: BudgetOptions): StatisticsAnswer {
    const answer = this.#store.statistics({ fromMs, untilMs }, filter ?? {}, budget);
    return isPartial === true ? { ...answer, truncated: true } : answer;
  }

  #summary(scope: Scope, nowMs: number, budget: BudgetOptions): ToldSummary {
    const { statistics, truncated } = this.#statistics(scope, budget);
    const summary = statistics.summary();
    const last = this.#statistics({ ...scope, fromMs: nowMs - latelyMs, untilMs: Infinity }, budget);
    const clientsTotal = Math.max(this.#allClients(nowMs, budget), summary.activeClients);
    return { ...summary, truncated, clientsTotal, lately: last.statistics.total };
  }

  #allClients(nowMs: number, budget: BudgetOptions): number {
    if (Math.abs(nowMs - this.#countedMs) < recountEveryMs) return this.#clientsTotal;
    const { statistics, truncated } = this.#statistics(always, budget);
    if (truncated) return this.#clientsTotal;
    this.#countedMs = nowMs;
    this.#clientsTotal = statistics.topClients('all', Infinity).length;
    return this.#clientsTotal;
  }

  #totals(scope: Scope, budget: BudgetOptions): ToldTotals {
    const { statistics, truncated } = this.#statistics(scope, budget);
    const { total, blocked } = statistics;
    const activeClients = statistics.topClients('all', Infinity).length;
    return { total, blocked, activeClients, types: statistics.counts(Column.type), truncated };
  }

  #upstreams(scope: Scope, budget: BudgetOptions): ToldUpstreams {
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

  #topDomains(question: TopQuestion, budget: BudgetOptions): ToldTopDomains {
    const { statistics, truncated } = this.#statistics(question, budget);
    // One more, as what is hidden takes no place.
    const ranked = statistics.topNames(question.isBlocked ? 'blocked' : 'permitted', question.count + 1);
    const domains = ranked
      .map(({ id, count }) => ({ domain: this.#store.nameOf(id), count }))
      .filter(({ domain }) => domain !== hiddenName)
      .slice(0, question.count);
    return { total: statistics.total, blocked: statistics.blocked, domains, truncated };
  }

  #topClients(question: TopQuestion, budget: BudgetOptions): ToldTopClients {
    const { statistics, truncated } = this.#statistics(question, budget);
    const ranked = statistics.topClients(question.isBlocked ? 'blocked' : 'all', question.count + 1);
    const clients = ranked
      .map((one) => this.#client(one))
      .filter(({ ip }) => ip !== hiddenClient)
      .slice(0, question.count);
    return { total: statistics.total, blocked: statistics.blocked, clients, truncated };
  }

  #client({ id, count }: { readonly id: number; readonly count: number }): ToldClient {
    return { ...this.#store.clientOf(id), count };
  }

  #suggestions({ count, ...range }: Asked<'suggestions'>, budget: BudgetOptions): ToldSuggestions {
    const { statistics } = this.#statistics(range, budget);
    const names = [...statistics.topNames('permitted', count), ...statistics.topNames('blocked', count)];
    return {
      domains: [...new Set(names.map(({ id }) => this.#store.nameOf(id)))],
      clients: statistics.topClients('all', count).map((one) => this.#client(one)),
      upstreams: statistics.upstreams().map(({ id }) => this.#store.upstreamOf(id)),
    };
  }

  /** Throws when the disk does not let us, so that nobody believes it is done. */
  #flush(): undefined {
    this.#countedMs = -Infinity;
    if (this.#store.flush()) return undefined;
    const { trouble = 'the disk cannot be written to' } = this.#store.figures();
    throw new Error(`nothing was forgotten, for ${trouble}`);
  }
}

/** The same as in a summary, without counting names. */
const totalsOf = (statistics: Statistics) => {
  let [cached, forwarded] = [0, 0];
  for (const [status, count] of statistics.counts(Column.status)) {
    if (classesOfStatuses[status] === StatusClass.cached) cached += count;
    if (classesOfStatuses[status] === StatusClass.forwarded) forwarded += count;
  }
  return { total: statistics.total, blocked: statistics.blocked, cached, forwarded };
};
