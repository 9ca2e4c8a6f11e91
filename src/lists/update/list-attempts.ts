// Remembers when each list was last fetched and how often it has failed since; decides when it is due. Kept
// in memory: after a start the dates of the stored copies are used. A list that keeps failing is logged once,
// so that a machine without network does not fill its log.

import type { Log } from '#platform/log';
import type { StoredList } from '#store/database/entities';
import type { ListCopies } from '../copies/list-copies.ts';
import { ListStatus, type ListOutcome } from './update-progress.ts';
import { nextUpdateMs } from './update-schedule.ts';

interface Attempts {
  readonly atMs: number | undefined;
  readonly failures: number;
}

export interface ListAttemptsParts {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Log;
}

export class ListAttempts {
  readonly #copies: Pick<ListCopies, 'newest'>;
  readonly #parts: ListAttemptsParts;
  readonly #attempts = new Map<number, Attempts>();
  /** The same for all lists, so that lists updated together are due together and compiled once. */
  #jitter: number;

  constructor(copies: Pick<ListCopies, 'newest'>, parts: ListAttemptsParts) {
    this.#copies = copies;
    this.#parts = parts;
    this.#jitter = parts.random();
  }

  /** The lists that are due. Draws new jitter only then: drawing at every check would shift the due time. */
  due<L extends Pick<StoredList, 'id' | 'status'>>(lists: readonly L[], intervalMs: number): readonly L[] {
    const due = lists.filter((list) => this.#isDue(list, intervalMs));
    if (due.length > 0) this.#jitter = this.#parts.random();
    return due;
  }

  #isDue({ id, status }: Pick<StoredList, 'id' | 'status'>, intervalMs: number): boolean {
    const attempts = this.#attempts.get(id) ?? this.#fromCopies(id, isFailing(status) ? 1 : 0);
    const nowMs = this.#parts.nowMs();
    const { atMs: lastMs, failures } = attempts;
    return nextUpdateMs({ lastMs, failures, intervalMs }, this.#jitter, nowMs) <= nowMs;
  }

  note({ listId, status, reason }: ListOutcome): void {
    const { nowMs, log } = this.#parts;
    const failures = isFailing(status) ? (this.#attempts.get(listId)?.failures ?? 0) + 1 : 0;
    this.#attempts.set(listId, { atMs: nowMs(), failures });
    if (failures === 1) log.warn('A list could not be updated', { list: listId, reason });
  }

  forget(listId: number): void {
    this.#attempts.delete(listId);
  }

  /** Reads the disk once per list, not at every check. */
  #fromCopies(id: number, failures: number): Attempts {
    const atMs = this.#copies.newest(id)?.fetchedMs;
    const attempts = { atMs, failures };
    this.#attempts.set(id, attempts);
    return attempts;
  }
}

function isFailing(status: number): boolean {
  return status === ListStatus.unavailable || status === ListStatus.unavailableWithCopy;
}
