// Knows whether the database can be written. A failed change is the first to notice trouble; from then on a
// small write is tried now and then, so that the service finds out by itself when the disk has space again.

import type { Change } from './change.ts';
import { troubleText } from '#platform/sqlite';

export interface TroubleWatch {
  readonly change: Change;
  readonly trouble: () => string | undefined;
  readonly stop: () => void;
}

const tryEveryMs = 2_000;

export interface TroubleOptions {
  readonly change: Change;
  /** Writes something harmless, or throws. */
  readonly tryToWrite: () => void;
  /** The trouble that there is already. */
  readonly already?: string | undefined;
  /** Called when there is no trouble any more. */
  readonly onOver?: () => void;
  /** The file itself is damaged: waiting will not help. */
  readonly onBroken: (problem: string) => void;
}

export const watchTrouble = (options: TroubleOptions): TroubleWatch => {
  const { change, tryToWrite, onBroken, onOver, already } = options;
  let trouble: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = (problem: string): void => {
    trouble = problem;
    timer ??= setInterval(tryAgain, tryEveryMs).unref();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const clear = (): void => {
    const wasThere = trouble !== undefined;
    trouble = undefined;
    stop();
    if (wasThere) onOver?.();
  };
  const tryAgain = (): void => {
    try {
      tryToWrite();
      clear();
    } catch (error) {
      trouble = troubleText(error);
    }
  };
  if (already !== undefined) begin(already);
  return {
    change: async (actor, work) => {
      const outcome = await change(actor, work);
      // One that found nothing to change says nothing about the disk: a write does.
      if (outcome.ok && trouble !== undefined) tryAgain();
      if (outcome.ok || outcome.trouble === 'busy') return outcome;
      begin(outcome.problem);
      if (outcome.trouble === 'damaged') onBroken(outcome.problem);
      return outcome;
    },
    trouble: () => trouble,
    stop,
  };
};
