// Lists at work, in the api thread: which are due, what an update brings, when they are compiled anew, and
// that the dns workers use what was compiled. A new, changed or re-enabled list is fetched at once; one that
// goes is only left out. Whatever fails leaves what was compiled before in force.

import { join } from 'node:path';
import type { Log } from '../log/log.ts';
import type { ListReport, StoredList } from '../storage/lists.ts';
import type { CompileThreads } from './compile-threads.ts';
import type { CompileOutcome, ListToCompile } from './compile-job.ts';
import { ListCopies } from './list-copies.ts';
import type { ListUpdater, OnProgress } from './list-updater.ts';
import { readBuildRecord } from './snapshot-file.ts';
import { ListStatus, type ListOutcome } from './update-progress.ts';
import { nextUpdateMs } from './update-schedule.ts';

export interface ListServiceParts {
  readonly listsFolder: string;
  readonly snapshotPath: string;
  readonly compiler: Pick<CompileThreads, 'compile' | 'close'>;
  readonly updater: Pick<ListUpdater, 'update' | 'close'>;
  readonly lists: () => readonly StoredList[];
  readonly report: (listId: number, report: Partial<ListReport>) => Promise<void>;
  /** Resolves when the dns workers answer by it. */
  readonly useSnapshot: (snapshot: SharedArrayBuffer) => Promise<void>;
  /** 0: only when asked. */
  readonly updateHours: () => number;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Log;
}

export interface UpdateResult {
  readonly lists: readonly ListOutcome[];
  readonly compiled: CompileOutcome;
}

const lookEveryMs = 30_000;
const hourMs = 3_600_000;

export class ListService {
  readonly #parts: ListServiceParts;
  readonly #copies: ListCopies;
  #timer: NodeJS.Timeout | undefined;
  /** Buffers take turns: the one that the workers have left is filled next. */
  #inUse: SharedArrayBuffer | undefined;
  #spare: SharedArrayBuffer | undefined;
  #compiling: Promise<CompileOutcome> | undefined;
  #isStale = false;
  #chance: number;
  #isClosed = false;

  constructor(parts: ListServiceParts) {
    this.#parts = parts;
    this.#copies = new ListCopies(parts.listsFolder);
    this.#chance = parts.random();
  }

  /** Does not wait for anything that is fetched. */
  start(): void {
    this.#timer = setInterval(() => void this.#lookIfDue(), lookEveryMs).unref();
    void this.#begin();
  }

  /** What has changed in the collection of lists. */
  follow(before: StoredList | null, after: StoredList | null): void {
    if (this.#isClosed) return;
    const fresh = becameActive(before, after);
    if (fresh !== undefined && this.#mayFetch(fresh)) void this.#updateSome([fresh]);
    else if (fresh !== undefined || before?.enabled === true) void this.compile();
    if (before !== null && after === null) this.#copies.remove(before.id);
  }

  /** All that are enabled; goes on whatever becomes of the caller. */
  update(onProgress: OnProgress): Promise<UpdateResult> {
    return this.#updateSome(this.#enabled(), onProgress);
  }

  /** One compilation at a time; what changes meanwhile is compiled after it. */
  async compile(): Promise<CompileOutcome> {
    this.#isStale = true;
    this.#compiling ??= this.#compileAll();
    return this.#compiling;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#parts.updater.close();
    await this.#parts.compiler.close();
  }

  async #begin(): Promise<void> {
    const unknown = this.#enabled().filter((list) => this.#copies.current(list.id) === undefined);
    const ready = unknown.filter((list) => this.#mayFetch(list));
    if (ready.length > 0) await this.#updateSome(ready);
    else if (readBuildRecord(this.#parts.snapshotPath) === undefined) await this.compile();
  }

  /** Without a schedule the network is left alone until an update is asked for; other lists need none. */
  #mayFetch({ address }: StoredList): boolean {
    return this.#parts.updateHours() > 0 || !/^https?:/iu.test(address);
  }

  async #lookIfDue(): Promise<void> {
    const intervalMs = this.#parts.updateHours() * hourMs;
    const due = this.#enabled().filter((list) => intervalMs > 0 && this.#isDue(list, intervalMs));
    if (due.length === 0) return;
    this.#chance = this.#parts.random();
    await this.#updateSome(due);
  }

  #isDue({ id, status }: StoredList, intervalMs: number): boolean {
    const { nowMs } = this.#parts;
    const lastMs = this.#lastTried.get(id) ?? this.#copies.newest(id)?.fetchedMs;
    const isFailing = status === ListStatus.unavailable || status === ListStatus.unavailableWithCopy;
    const failures = isFailing ? (this.#failures.get(id) ?? 1) : 0;
    return nextUpdateMs({ lastMs, failures, intervalMs }, this.#chance, nowMs()) <= nowMs();
  }

  readonly #lastTried = new Map<number, number>();
  readonly #failures = new Map<number, number>();

  #enabled(): readonly StoredList[] {
    return this.#parts.lists().filter(({ enabled }) => enabled);
  }

  async #updateSome(lists: readonly StoredList[], onProgress: OnProgress = ignore): Promise<UpdateResult> {
    const outcomes = await this.#parts.updater.update(lists, onProgress);
    for (const outcome of outcomes) await this.#note(outcome);
    return { lists: outcomes, compiled: await this.compile() };
  }

  async #note({ listId, status, reason, fetchedMs, report }: ListOutcome): Promise<void> {
    const isFailing = status === ListStatus.unavailable || status === ListStatus.unavailableWithCopy;
    this.#lastTried.set(listId, this.#parts.nowMs());
    const failures = isFailing ? (this.#failures.get(listId) ?? 0) + 1 : 0;
    this.#failures.set(listId, failures);
    // Once: a machine without a network need not say so every few minutes.
    if (failures === 1) this.#parts.log.warn('A list could not be updated', { list: listId, reason });
    await this.#parts.report(listId, {
      status,
      ...(fetchedMs > 0 && { date_updated: Math.floor(fetchedMs / 1000) }),
      ...(report !== undefined && {
        number: report.entries,
        invalid_domains: report.invalid,
        abp_entries: report.formats.adblock,
      }),
    });
  }

  async #compileAll(): Promise<CompileOutcome> {
    let outcome: CompileOutcome = { kind: 'failed', reason: 'nothing was compiled' };
    try {
      while (this.#isStale && !this.#isClosed) {
        this.#isStale = false;
        outcome = await this.#compileOnce();
      }
    } finally {
      // Without a pause after the last look: whoever comes later finds nothing running and begins anew.
      this.#compiling = undefined;
    }
    return outcome;
  }

  async #compileOnce(): Promise<CompileOutcome> {
    const { compiler, listsFolder, snapshotPath, log } = this.#parts;
    const buffer = this.#spare;
    this.#spare = undefined;
    const lists = this.#enabled().map(toCompile);
    const outcome = await compiler.compile({ listsFolder, snapshotPath, lists, accepted: [], buffer });
    if (outcome.kind !== 'built') {
      this.#spare = buffer;
      log.error('The lists were not compiled; what was compiled before stays in force', {
        reason: outcome.reason,
      });
      return outcome;
    }
    await this.#parts.useSnapshot(outcome.buffer);
    this.#spare = this.#inUse;
    this.#inUse = outcome.buffer;
    log.info('Lists are compiled and in force', { names: outcome.names, lists: lists.length });
    return outcome;
  }
}

/** The list as it is now, when it has to be fetched: new, with another address, or enabled again. */
const becameActive = (before: StoredList | null, after: StoredList | null): StoredList | undefined => {
  if (after?.enabled !== true) return undefined;
  return before?.enabled === true && before.address === after.address ? undefined : after;
};

const ignore = (): void => undefined;

const toCompile = ({ id, address, comment, type }: StoredList): ListToCompile => ({
  id,
  type,
  name: comment ?? address,
});

/** Where everything about lists lies in the data folder. */
export const listsFolderOf = (dataDir: string): string => join(dataDir, 'lists');
