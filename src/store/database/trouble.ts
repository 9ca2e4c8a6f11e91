// Tracks whether the database is writable. The first change that fails reports the trouble. From then on a
// small test write runs every two seconds, so that the service recovers when the disk has space again.

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
  /** Makes a harmless test write; throws when it fails. */
  readonly tryToWrite: () => void;
  /** Trouble that was found when the database was opened. */
  readonly already?: string | undefined;
  /** Called when the trouble is over. */
  readonly onOver?: () => void;
  /** The file itself is damaged: waiting will not help. */
  readonly onDamaged: (problem: string) => void;
}

export function watchTrouble(options: TroubleOptions): TroubleWatch {
  const { change, tryToWrite, onDamaged, onOver, already } = options;
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
      // A change without effect writes nothing, so its success does not show that the disk is writable.
      if (outcome.ok && trouble !== undefined) tryAgain();
      if (outcome.ok || outcome.trouble === 'busy') return outcome;
      begin(outcome.problem);
      if (outcome.trouble === 'damaged') onDamaged(outcome.problem);
      return outcome;
    },
    trouble: () => trouble,
    stop,
  };
}
