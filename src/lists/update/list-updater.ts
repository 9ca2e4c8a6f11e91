// Brings lists up to date: several at once, each with a few tries, each list never twice at a time. Whoever
// starts an update may go away or throw; the update goes on, and leaves for every list either its new copy or
// the old one. Nothing here compiles: that is for whoever hears that something has changed.

import { rmSync } from 'node:fs';
import type { Log } from '#platform/log';
import { isSameAddress, maskedAddress } from '#store/database/entities';
import type { CopyDescription } from '../copies/copy-description.ts';
import { notAList, type Examined } from '../copies/examine.ts';
import { fetchList, nothingKnown, type FetchOptions } from '../fetch/fetch-list.ts';
import { failed, type FetchFailure, type FetchOutcome, type FetchedText } from '../fetch-outcome.ts';
import { fetchPatience, parallelFetches, triesPerUpdate } from '../list-limits.ts';
import type { ListCopies } from '../copies/list-copies.ts';
import { ParallelGate, type GatePatience } from '../fetch/parallel-gate.ts';
import { ListStatus, type ListOutcome, type OnProgress, type Subscription } from './update-progress.ts';
import { backoffMs } from './update-schedule.ts';

export interface ListUpdaterOptions {
  readonly copies: ListCopies;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** As CompileThreads has it. */
  readonly examine: (draftPath: string, unpackedBytes: number) => Promise<Examined>;
  /** The version of a list that is compiled now; see BuildRecord. */
  readonly inForce: (listId: number) => number | undefined;
  readonly nowMs: () => number;
  /** From 0 up to but not 1. */
  readonly random: () => number;
  /** Ends at once when the signal does; never fails. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly firstBackoffMs?: number;
  readonly parallel?: number;
  readonly patience?: GatePatience;
}

const firstBackoff = 5000;

/** Whether the network is needed to have it. */
export const isRemote = ({ address }: Pick<Subscription, 'address'>): boolean => /^https?:/iu.test(address);

export class ListUpdater {
  readonly #options: ListUpdaterOptions;
  readonly #gates: Readonly<Record<'near' | 'far' | 'urgent', ParallelGate>>;
  readonly #stop = new AbortController();
  readonly #running = new Map<number, Promise<ListOutcome>>();

  constructor(options: ListUpdaterOptions) {
    this.#options = options;
    const { parallel = parallelFetches, patience = fetchPatience } = options;
    const gate = (): ParallelGate => new ParallelGate(parallel, patience);
    // What needs no network does not stand behind servers that let us wait, nor what a person waits for
    // behind what is only due.
    this.#gates = { near: gate(), far: gate(), urgent: gate() };
  }

  /** Never fails. A list that is being updated already is waited for, not fetched again. */
  update(
    lists: readonly Subscription[],
    onProgress: OnProgress,
    isUrgent = false,
  ): Promise<readonly ListOutcome[]> {
    const tell = this.#careful(onProgress);
    return Promise.all(
      lists.map(async (list) => {
        const running = this.#running.get(list.id) ?? this.#start(list, tell, isUrgent);
        const outcome = await running;
        tell({ step: 'finished', listId: list.id, outcome });
        return outcome;
      }),
    );
  }

  /** Breaks off what is under way, and waits until nothing is. Copies stay as they are. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  #start(list: Subscription, tell: OnProgress, isUrgent: boolean): Promise<ListOutcome> {
    const far = isUrgent ? 'urgent' : 'far';
    const run = this.#gates[isRemote(list) ? far : 'near']
      .through(() => this.#updateOne(list, tell))
      .catch((error: unknown) => this.#unavailable(list, failed(String(error), true)))
      .finally(() => this.#running.delete(list.id));
    this.#running.set(list.id, run);
    return run;
  }

  async #updateOne(list: Subscription, tell: OnProgress): Promise<ListOutcome> {
    tell({ step: 'fetching', listId: list.id, address: list.address });
    const fetched = await this.#fetchWithRetries(list, tell);
    if (fetched.kind === 'failed') return this.#unavailable(list, fetched);
    if (fetched.kind === 'unchanged') return this.#outcome(list.id, ListStatus.unchanged);
    return this.#take(list, fetched, tell);
  }

  async #fetchWithRetries(list: Subscription, tell: OnProgress): Promise<FetchOutcome> {
    const { random, sleep, firstBackoffMs = firstBackoff } = this.#options;
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#fetch(list);
      if (outcome.kind !== 'failed' || !outcome.isWorthRetrying) return outcome;
      if (attempt >= triesPerUpdate || signal.aborted) return outcome;
      const waitMs = backoffMs(attempt, firstBackoffMs, random());
      tell({ step: 'retrying', listId: list.id, attempt, waitMs, reason: outcome.reason });
      await sleep(waitMs, signal);
    }
  }

  #fetch({ id, address, added_with: rights }: Subscription): Promise<FetchOutcome> {
    const { copies, fetch } = this.#options;
    const newest = copies.newest(id);
    const isKnown = newest !== undefined && isSameAddress(newest.address, address);
    const known = isKnown ? newest : nothingKnown;
    const draftPath = copies.draftPath(id);
    return fetchList({ address, rights, known, draftPath }, { ...fetch, signal: this.#stop.signal });
  }

  async #take(list: Subscription, fetched: FetchedText, tell: OnProgress): Promise<ListOutcome> {
    const { copies, examine, inForce, nowMs } = this.#options;
    tell({ step: 'examining', listId: list.id, unpackedBytes: fetched.unpackedBytes });
    const draftPath = copies.draftPath(list.id);
    const examined = withoutLines(list, await examine(draftPath, fetched.unpackedBytes));
    const problem = examined.kind === 'failed' ? examined.reason : notAList(examined.report);
    if (examined.kind === 'failed' || problem !== undefined) {
      rmSync(draftPath, { force: true });
      return this.#unavailable(list, failed(problem ?? '', false));
    }
    const { report } = examined;
    const { id } = list;
    const address = maskedAddress(list.address);
    copies.keep(id, { address, fetched, report, nowMs: nowMs(), inForce: inForce(id) });
    return this.#outcome(list.id, ListStatus.downloaded);
  }

  #unavailable({ id }: Subscription, failure: FetchFailure): ListOutcome {
    const { reason, isWorthRetrying, isOutOfReach = false } = failure;
    const { copies, log } = this.#options;
    const copy = copies.current(id);
    const status = copy === undefined ? ListStatus.unavailable : ListStatus.unavailableWithCopy;
    log.debug('A list could not be updated', { list: id, reason });
    return { ...outcomeOf(id, status, copy), reason, needsPerson: !isWorthRetrying, isOutOfReach };
  }

  #outcome(id: number, status: ListOutcome['status']): ListOutcome {
    return outcomeOf(id, status, this.#options.copies.current(id));
  }

  /** A listener that fails is no reason to stop an update. */
  #careful(onProgress: OnProgress): OnProgress {
    return (progress) => {
      try {
        onProgress(progress);
      } catch (error) {
        this.#options.log.debug('Nobody listens to the update', { error: String(error) });
      }
    };
  }
}

/** Lines of a file that are no rules are shown to nobody: it may be any file that the service can read. */
function withoutLines(list: Subscription, examined: Examined): Examined {
  if (isRemote(list) || examined.kind === 'failed') return examined;
  return { ...examined, report: { ...examined.report, samples: [] } };
}

const outcomeOf = (
  listId: number,
  status: ListOutcome['status'],
  copy: CopyDescription | undefined,
): ListOutcome => ({
  listId,
  status,
  reason: '',
  needsPerson: false,
  isOutOfReach: false,
  fetchedMs: copy?.fetchedMs ?? 0,
  version: copy?.version ?? 0,
  report: copy?.report,
});
