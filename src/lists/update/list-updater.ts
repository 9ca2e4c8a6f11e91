// Fetches lists and stores them as copies: several in parallel, each with a few retries, and no list twice at
// the same time. A progress callback that throws does not stop an update. Afterwards every list has either a
// new copy or its old one. The caller compiles.

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
  /** See CompileThreads.examine. */
  readonly examine: (draftPath: string, unpackedBytes: number) => Promise<Examined>;
  /** The version of a list in the current snapshot; see BuildRecord. */
  readonly inForce: (listId: number) => number | undefined;
  readonly nowMs: () => number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Resolves early when the signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly firstBackoffMs?: number;
  readonly parallel?: number;
  readonly patience?: GatePatience;
}

const firstBackoff = 5000;

/** Whether the list is fetched over the network. */
export function isRemote({ address }: Pick<Subscription, 'address'>): boolean {
  return /^https?:/iu.test(address);
}

export class ListUpdater {
  readonly #options: ListUpdaterOptions;
  readonly #gates: Readonly<Record<'local' | 'remote' | 'urgent', ParallelGate>>;
  readonly #stop = new AbortController();
  readonly #running = new Map<number, Promise<ListOutcome>>();

  constructor(options: ListUpdaterOptions) {
    this.#options = options;
    const { parallel = parallelFetches, patience = fetchPatience } = options;
    const gate = (): ParallelGate => new ParallelGate(parallel, patience);
    // Separate gates: local lists do not wait for slow servers, and lists that a person waits for do not wait
    // for scheduled updates.
    this.#gates = { local: gate(), remote: gate(), urgent: gate() };
  }

  /** Never rejects. If a list is already being updated, waits for that instead of fetching it twice. */
  update(
    lists: readonly Subscription[],
    onProgress: OnProgress,
    isUrgent = false,
  ): Promise<readonly ListOutcome[]> {
    const report = this.#catching(onProgress);
    return Promise.all(
      lists.map(async (list) => {
        const running = this.#running.get(list.id) ?? this.#start(list, report, isUrgent);
        const outcome = await running;
        report({ step: 'finished', listId: list.id, outcome });
        return outcome;
      }),
    );
  }

  /** Aborts all running updates and waits for them to end. Copies do not change. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  #start(list: Subscription, report: OnProgress, isUrgent: boolean): Promise<ListOutcome> {
    const remote = isUrgent ? 'urgent' : 'remote';
    const run = this.#gates[isRemote(list) ? remote : 'local']
      .through(() => this.#updateOne(list, report))
      .catch((error: unknown) => this.#unavailable(list, failed(String(error), true)))
      .finally(() => this.#running.delete(list.id));
    this.#running.set(list.id, run);
    return run;
  }

  async #updateOne(list: Subscription, report: OnProgress): Promise<ListOutcome> {
    report({ step: 'fetching', listId: list.id, address: list.address });
    const fetched = await this.#fetchWithRetries(list, report);
    if (fetched.kind === 'failed') return this.#unavailable(list, fetched);
    if (fetched.kind === 'unchanged') return this.#outcome(list.id, ListStatus.unchanged);
    return this.#examineAndStore(list, fetched, report);
  }

  async #fetchWithRetries(list: Subscription, report: OnProgress): Promise<FetchOutcome> {
    const { random, sleep, firstBackoffMs = firstBackoff } = this.#options;
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#fetch(list);
      if (outcome.kind !== 'failed' || !outcome.isWorthRetrying) return outcome;
      if (attempt >= triesPerUpdate || signal.aborted) return outcome;
      const waitMs = backoffMs(attempt, firstBackoffMs, random());
      report({ step: 'retrying', listId: list.id, attempt, waitMs, reason: outcome.reason });
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

  async #examineAndStore(
    list: Subscription,
    fetched: FetchedText,
    onProgress: OnProgress,
  ): Promise<ListOutcome> {
    const { copies, examine, inForce, nowMs } = this.#options;
    onProgress({ step: 'examining', listId: list.id, unpackedBytes: fetched.unpackedBytes });
    const draftPath = copies.draftPath(list.id);
    const examined = withoutSamples(list, await examine(draftPath, fetched.unpackedBytes));
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

  /** An exception in the callback must not stop the update. */
  #catching(onProgress: OnProgress): OnProgress {
    return (progress) => {
      try {
        onProgress(progress);
      } catch (error) {
        this.#options.log.debug('Progress of an update could not be reported', { error: String(error) });
      }
    };
  }
}

/** Invalid lines of a local file are not shown: it may be any file that the service can read. */
function withoutSamples(list: Subscription, examined: Examined): Examined {
  if (isRemote(list) || examined.kind === 'failed') return examined;
  return { ...examined, report: { ...examined.report, samples: [] } };
}

function outcomeOf(
  listId: number,
  status: ListOutcome['status'],
  copy: CopyDescription | undefined,
): ListOutcome {
  return {
    listId,
    status,
    reason: '',
    needsPerson: false,
    isOutOfReach: false,
    fetchedMs: copy?.fetchedMs ?? 0,
    version: copy?.version ?? 0,
    report: copy?.report,
  };
}
