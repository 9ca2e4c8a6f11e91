// When each list was tried last and how often it has failed since, in memory: a start begins anew with what
// the copies say. From this follows when it is due. A list that goes on failing is logged once, because a
// machine without a network need not say so every few minutes.

import type { Log } from '#platform/log';
import type { StoredList } from '#store/database/entities';
import type { ListCopies } from '../copies/list-copies.ts';
import { ListStatus, type ListOutcome } from './update-progress.ts';
import { nextUpdateMs } from './update-schedule.ts';

interface Tried {
  readonly atMs: number | undefined;
  readonly failures: number;
}

export interface ListTriesParts {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Log;
}

export class ListTries {
  readonly #copies: Pick<ListCopies, 'newest'>;
  readonly #parts: ListTriesParts;
  readonly #tried = new Map<number, Tried>();
  /** One for all lists, so that those that were updated together are due together, and compiled once. */
  #chance: number;

  constructor(copies: Pick<ListCopies, 'newest'>, parts: ListTriesParts) {
    this.#copies = copies;
    this.#parts = parts;
    this.#chance = parts.random();
  }

  /** Those that are due; their time is drawn anew then, and only then, or it would wander. */
  due<L extends Pick<StoredList, 'id' | 'status'>>(lists: readonly L[], intervalMs: number): readonly L[] {
    const due = lists.filter((list) => this.#isDue(list, intervalMs));
    if (due.length > 0) this.#chance = this.#parts.random();
    return due;
  }

  #isDue({ id, status }: Pick<StoredList, 'id' | 'status'>, intervalMs: number): boolean {
    const tried = this.#tried.get(id) ?? this.#fromCopies(id, isFailing(status) ? 1 : 0);
    const nowMs = this.#parts.nowMs();
    const { atMs: lastMs, failures } = tried;
    return nextUpdateMs({ lastMs, failures, intervalMs }, this.#chance, nowMs) <= nowMs;
  }

  note({ listId, status, reason }: ListOutcome): void {
    const { nowMs, log } = this.#parts;
    const failures = isFailing(status) ? (this.#tried.get(listId)?.failures ?? 0) + 1 : 0;
    this.#tried.set(listId, { atMs: nowMs(), failures });
    if (failures === 1) log.warn('A list could not be updated', { list: listId, reason });
  }

  forget(listId: number): void {
    this.#tried.delete(listId);
  }

  /** Looked up once: the disk is not asked again at every look. */
  #fromCopies(id: number, failures: number): Tried {
    const atMs = this.#copies.newest(id)?.fetchedMs;
    const tried = { atMs, failures };
    this.#tried.set(id, tried);
    return tried;
  }
}

const isFailing = (status: number): boolean =>
  status === ListStatus.unavailable || status === ListStatus.unavailableWithCopy;
