// For tests: answers questions about the history in the same thread, with the code of the history thread.

import { steadyClockMs } from '../../platform/time/clock.ts';
import type { HistoryStore } from '../../history/segments/history-store.ts';
import { Answerer } from '../../history/thread/answers.ts';
import type { HistoryReader } from '../../history/thread/questions.ts';

export function readerOver(store: HistoryStore, nowMs: () => number): HistoryReader {
  const answerer = new Answerer(store);
  return {
    query: (name, question, { limitMs, signal }) => {
      const budget = { limitMs, clockMs: steadyClockMs, isCancelled: () => signal?.aborted === true };
      // Cloned as by a message between threads.
      const value = structuredClone(answerer.answer(name, structuredClone(question), nowMs(), budget));
      return Promise.resolve({ ok: true, value });
    },
  };
}
