// Answers for simulations of rule changes: how often each name was queried, and the texts of numbers. By
// number and in bulk, since there may be hundreds of thousands.

import type { BudgetOptions } from '../segments/budget.ts';
import type { HistoryStore } from '../segments/history-store.ts';
import type { QuestionInput, TextsQuestion, NameCountsResult, TextsResult } from './questions.ts';

const nameParts = new Set(['permitted', 'denied'] as const);

export function nameCountsOf(
  store: HistoryStore,
  { most, fromMs, untilMs, filter = {} }: QuestionInput<'nameCounts'>,
  budget: BudgetOptions,
): NameCountsResult {
  const { statistics, truncated } = store.statistics({ fromMs, untilMs }, filter, budget, nameParts);
  const counts = new Map<number, number>();
  for (const kind of ['permitted', 'blocked'] as const)
    for (const { id, count } of statistics.topNames(kind, most))
      counts.set(id, (counts.get(id) ?? 0) + count);
  const ranked = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, most);
  return {
    names: Uint32Array.from(ranked, ([id]) => id),
    counts: Float64Array.from(ranked, ([, count]) => count),
    total: statistics.total,
    blocked: statistics.blocked,
    truncated: truncated || counts.size >= most,
  };
}

export function textsOf(store: HistoryStore, { names, clients }: TextsQuestion): TextsResult {
  return {
    names: store.namesOf(names),
    clients: Array.from(clients, (id) => store.clientOf(id)),
  };
}
