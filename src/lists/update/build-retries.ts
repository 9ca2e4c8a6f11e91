// When lists that could not be compiled are compiled again: a full disk or a lack of memory often passes, and
// nobody may come by to change a list for days. Ever later while it goes on failing, because every try costs
// as much as one that succeeds, and spread by chance.

import { backoffMs } from './update-schedule.ts';

export interface BuildRetriesParts {
  readonly nowMs: () => number;
  /** From 0 up to but not 1. */
  readonly random: () => number;
}

const firstMs = 60_000;
const mostMs = 3_600_000;
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

  /** What people are told of the next try. */
  noteFailed(): string {
    const { nowMs, random } = this.#parts;
    this.#failures++;
    this.#fromMs = nowMs();
    this.#waitMs = Math.min(mostMs, backoffMs(this.#failures, firstMs, random()));
    const minutes = Math.max(1, Math.round(this.#waitMs / minuteMs));
    const when = minutes === 1 ? 'a minute' : `${minutes} minutes`;
    return `It is tried again by itself in about ${when}, and at once by \`sluice lists update\`.`;
  }

  /** Also when the clock was set back behind the last try. */
  isDue(): boolean {
    const sinceMs = this.#parts.nowMs() - this.#fromMs;
    return this.#failures > 0 && (sinceMs >= this.#waitMs || sinceMs < 0);
  }
}
