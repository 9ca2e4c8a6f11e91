// Schedules retries of a failed compilation: a full disk or a lack of memory is often temporary, and the next
// change of a list may be days away. Exponential backoff with jitter, because a failed attempt costs as much
// as a successful one.

import { backoffMs } from './update-schedule.ts';

export interface BuildRetriesParts {
  readonly nowMs: () => number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

const firstMs = 60_000;
const maxMs = 3_600_000;
const minuteMs = 60_000;

export class BuildRetries {
  readonly #parts: BuildRetriesParts;
  #failures = 0;
  #fromMs = 0;
  #waitMs = 0;

  constructor(parts: BuildRetriesParts) {
    this.#parts = parts;
  }

  noteBuilt(): void {
    this.#failures = 0;
  }

  /** Returns a sentence for the user about the next attempt. */
  noteFailed(): string {
    const { nowMs, random } = this.#parts;
    this.#failures++;
    this.#fromMs = nowMs();
    this.#waitMs = Math.min(maxMs, backoffMs(this.#failures, firstMs, random()));
    const minutes = Math.max(1, Math.round(this.#waitMs / minuteMs));
    const when = minutes === 1 ? 'a minute' : `${minutes} minutes`;
    return `Sluice tries again in about ${when}; \`sluice lists update\` tries at once.`;
  }

  /** Also true when the clock was set back to before the last attempt. */
  isDue(): boolean {
    const sinceMs = this.#parts.nowMs() - this.#fromMs;
    return this.#failures > 0 && (sinceMs >= this.#waitMs || sinceMs < 0);
  }
}
