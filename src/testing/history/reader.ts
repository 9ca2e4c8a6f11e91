// For tests only: the history answered in the same thread, as the history thread answers it in its own.

import { steadyClockMs } from '../../platform/time/clock.ts';
import type { HistoryStore } from '../../history/segments/history-store.ts';
import { Answerer } from '../../history/thread/answers.ts';
import type { HistoryReader } from '../../history/thread/questions.ts';

export const readerOver = (store: HistoryStore, nowMs: () => number): HistoryReader => {
  const answerer = new Answerer(store);
  return {
    ask: (name, question, { limitMs, signal }) => {
      const budget = { limitMs, clockMs: steadyClockMs, isCancelled: () => signal?.aborted === true };
      // As if it had gone from thread to thread.
      const told = structuredClone(answerer.answer(name, structuredClone(question), nowMs(), budget));
      return Promise.resolve({ ok: true, value: told });
    },
  };
};
