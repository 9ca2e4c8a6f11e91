// Runs lists in the api thread: updates them when they are due or on request, records the outcomes, and
// compiles them. A new, changed or re-enabled list is fetched at once; after a list is disabled or deleted,
// the others are compiled without it. A failure leaves the previous snapshot in force.

import { existsSync } from 'node:fs';
import type { Log } from '#platform/log';
import type { MessageBoard } from '#store/database';
import type { ListReport, StoredList } from '#store/database/entities';
import { BuildRetries } from './build-retries.ts';
import type { ListToCompile } from '../compile/compile-job.ts';
import type { CompileThreads } from '../compile/compile-threads.ts';
import { storedCopies, type StoredCopies } from './copies-view.ts';
import type { ListEventSinks } from './list-events.ts';
import { EarlierLists, isRefusedEarlier } from './earlier-lists.ts';
import { ListBuilder, type BuildResult } from './list-builder.ts';
import { ListCopies } from '../copies/list-copies.ts';
import { ListAttempts } from './list-attempts.ts';
import { isRemote, type ListUpdater } from './list-updater.ts';
import { ProgressLog } from './progress-log.ts';
import { progressText } from './progress-text.ts';
import { withoutSecrets } from '../shown-address.ts';
import type { Suspicion } from '../copies/suspicion.ts';
import { ListStatus, type ListOutcome, type UpdateProgress } from './update-progress.ts';

export interface ListServiceParts {
  readonly listsFolder: string;
  readonly snapshotPath: string;
  readonly compiler: Pick<CompileThreads, 'compile' | 'check' | 'close'>;
  readonly updater: Pick<ListUpdater, 'update' | 'close'>;
  readonly lists: () => readonly StoredList[];
  /** Stores the status of lists, by id. */
  readonly report: (reports: ReadonlyMap<number, Partial<ListReport>>) => Promise<void>;
  /** Resolves when the dns workers use it. */
  readonly useSnapshot: (snapshot: SharedArrayBuffer) => Promise<void>;
  readonly messages: Pick<MessageBoard, 'put' | 'clear' | 'keepOnly'>;
  readonly emit: ListEventSinks;
  /** 0: only on request. */
  readonly updateHours: () => number;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Log;
  readonly earlyBuildMs?: number;
  readonly checkEveryMs?: number;
}

export interface UpdateResult extends BuildResult {
  readonly lists: readonly ListOutcome[];
}

const checkEveryMs = 30_000;
const hourMs = 3_600_000;
/** While a slow server delays an update, lists already fetched are recorded and compiled at this interval. */
const earlyBuildMs = 15_000;
const heldTopic = 'list held';
const unavailableTopic = 'list unavailable';
const buildTopic = 'lists not compiled';

export class ListService {
  readonly #parts: ListServiceParts;
  readonly #copies: ListCopies;
  readonly #builder: ListBuilder;
  readonly #attempts: ListAttempts;
  readonly #retries: BuildRetries;
  readonly #earlier: EarlierLists;
  readonly #backgroundTasks = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  /** The running update of all lists. */
  #run: ProgressLog<UpdateResult> | undefined;
  #isChecking = false;
  #isClosed = false;

  constructor(parts: ListServiceParts) {
    this.#parts = parts;
    this.#copies = new ListCopies(parts.listsFolder);
    this.#attempts = new ListAttempts(this.#copies, parts);
    this.#retries = new BuildRetries(parts);
    this.#earlier = new EarlierLists(parts);
    this.#builder = new ListBuilder({
      ...parts,
      copies: this.#copies,
      lists: () => this.#enabled().map(toCompile),
      onHeld: (held) => this.#recordHeld(held),
      onBuilt: (result) => this.#recordBuild(result),
      onProgress: (progress) => this.#publish(progress),
    });
  }

  /** Returns before anything is fetched. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#checkDue(), this.#parts.checkEveryMs ?? checkEveryMs).unref();
    this.#inBackground(() => this.#initialise());
  }

  /** Reacts to a list that was created (`before` is null), changed or deleted (`after` is null). */
  applyChange(before: StoredList | null, after: StoredList | null): void {
    if (this.#isClosed) return;
    const fresh = becameActive(before, after);
    if (fresh !== undefined && this.#mayFetch(fresh)) this.#inBackground(() => this.#fetchNew(fresh));
    else if (fresh !== undefined || becameInactive(before, after))
      // A list without a copy does not change the snapshot.
      this.#inBackground(() => this.#builder.buildIfBehind());
    if (before === null) return;
    if (after === null) this.#removeTraces(before.id);
    else if (becameInactive(before, after)) this.#clearUnavailable(before.id);
    if (becameInactive(before, after)) this.#inBackground(() => this.#earlier.forget(before));
  }

  /** Updates all enabled lists. Callers share one running update; it continues when they disconnect. */
  update(): ProgressLog<UpdateResult> {
    if (this.#run !== undefined) return this.#run;
    const run = new ProgressLog<UpdateResult>();
    this.#run = run;
    this.#inBackground(async () => {
      const result = await this.#updateAll().catch(faultResult);
      this.#run = undefined;
      run.end(result);
    });
    return run;
  }

  build(): Promise<BuildResult> {
    return this.#builder.build();
  }

  /** Puts a held change in force; undefined when the list has none. */
  async accept({ id }: StoredList): Promise<BuildResult | undefined> {
    if (this.#builder.held(id) === undefined) return undefined;
    return this.#putInForce(id);
  }

  copiesOf({ id }: StoredList): StoredCopies {
    return storedCopies(this.#copies, this.#parts.snapshotPath, id, this.#builder.held(id));
  }

  /** Uses an earlier copy until the list changes again; undefined when there is no such copy. */
  async useCopy({ id }: StoredList, version: number): Promise<BuildResult | undefined> {
    return this.#copies.rollBack(id, version) ? this.#putInForce(id) : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const built = this.#builder.close();
    // Both at once: the updater waits for examinations, which closing the compiler ends.
    await Promise.all([this.#parts.updater.close(), this.#parts.compiler.close()]);
    await built;
    await Promise.all(this.#backgroundTasks);
  }

  /** A person has chosen the copy, so it is accepted without the check for suspicious changes. */
  async #putInForce(id: number): Promise<BuildResult> {
    this.#builder.accept(id);
    const result = await this.#builder.build();
    const copy = this.#copies.current(id);
    if (result.isBuilt && copy !== undefined) await this.#parts.report(new Map([[id, reportOf(copy)]]));
    return result;
  }

  async #initialise(): Promise<void> {
    const known = new Set(this.#parts.lists().map(({ id }) => id));
    for (const id of this.#copies.lists()) if (!known.has(id)) this.#copies.remove(id);
    this.#copies.removeDrafts();
    await this.#checkSnapshot();
    const local = this.#withoutCopy().filter((list) => !isRemote(list));
    // Local lists and stored copies are in force before anything is fetched over the network.
    if (local.length > 0) await this.#updateSome(local);
    else if (this.#builder.isBehind()) await this.build();
    // Includes lists whose copies the compilation found damaged.
    const remaining = this.#withoutCopy().filter((list) => !local.includes(list) && this.#mayFetch(list));
    if (remaining.length > 0) await this.#updateSome(remaining);
  }

  #withoutCopy(): readonly StoredList[] {
    return this.#enabled().filter(({ id }) => this.#copies.current(id) === undefined);
  }

  /** The check renames a damaged or outdated snapshot, which the dns workers refuse; it is then rebuilt. */
  async #checkSnapshot(): Promise<void> {
    const { compiler, snapshotPath, log } = this.#parts;
    const problem = existsSync(snapshotPath) ? await compiler.check(snapshotPath) : undefined;
    if (problem !== undefined)
      log.warn('The compiled lists cannot be used, and are compiled anew', { problem });
  }

  /** With automatic updates off, remote lists are fetched only on request; local ones need no network. */
  #mayFetch(list: StoredList): boolean {
    return this.#parts.updateHours() > 0 || !isRemote(list);
  }

  /** Starts what is due: an update, or a retry of the compilation. An update compiles too, if needed. */
  #checkDue(): void {
    if (this.#isChecking || this.#run !== undefined) return;
    const intervalMs = this.#parts.updateHours() * hourMs;
    const due = intervalMs === 0 ? [] : this.#attempts.due(this.#enabled(), intervalMs);
    if (due.length > 0) this.#runDue(() => this.#updateSome(due));
    else if (this.#retries.isDue()) this.#runDue(() => this.#builder.buildIfBehind());
  }

  #runDue(work: () => Promise<unknown>): void {
    this.#isChecking = true;
    this.#inBackground(() => work().finally(() => (this.#isChecking = false)));
  }

  #enabled(): readonly StoredList[] {
    return this.#parts.lists().filter(({ enabled }) => enabled);
  }

  async #fetchNew(list: StoredList): Promise<void> {
    // A list that is enabled again blocks from its stored copy while its server is slow.
    if (isRemote(list) && this.#copies.current(list.id) !== undefined) await this.build();
    await this.#updateSome([list], true);
  }

  async #updateAll(): Promise<UpdateResult> {
    const started = new Set<number>();
    let lists = this.#enabled();
    let result = await this.#updateSome(lists);
    for (;;) {
      for (const { id } of lists) started.add(id);
      // A caller that joined a running update expects it to include lists added since it started.
      lists = this.#enabled().filter((list) => isNew(list) && !started.has(list.id));
      if (lists.length === 0 || this.#isClosed) return result;
      const more = await this.#updateSome(lists);
      result = { ...more, lists: [...result.lists, ...more.lists] };
    }
  }

  async #updateSome(lists: readonly StoredList[], isUrgent = false): Promise<UpdateResult> {
    const finished: ListOutcome[] = [];
    const recordFinished = async (): Promise<boolean> => {
      const outcomes = finished.splice(0);
      // Failures caused by the stop of the service are not failures of the lists.
      if (!this.#isClosed && outcomes.length > 0) await this.#record(outcomes);
      return outcomes.some(({ status }) => status === ListStatus.downloaded);
    };
    const early = setInterval(() => {
      this.#inBackground(async () => ((await recordFinished()) ? this.build() : undefined));
    }, this.#parts.earlyBuildMs ?? earlyBuildMs);
    const onProgress = (progress: UpdateProgress): void => {
      if (progress.step === 'finished') finished.push(progress.outcome);
      this.#publish(progress);
    };
    const outcomes = await this.#parts.updater.update(lists, onProgress, isUrgent);
    clearInterval(early);
    await recordFinished();
    const present = outcomes.filter(({ listId }) => this.#exists(listId));
    return { lists: present, ...(await this.#builder.buildIfBehind()) };
  }

  #exists(listId: number): boolean {
    return this.#parts.lists().some(({ id }) => id === listId);
  }

  async #record(outcomes: readonly ListOutcome[]): Promise<void> {
    const { report, messages } = this.#parts;
    const present = new Map(this.#parts.lists().map((list) => [list.id, list]));
    const existing = outcomes.filter(({ listId }) => present.has(listId));
    // The fetch may have created files for a list that was deleted meanwhile.
    for (const { listId } of outcomes) if (!present.has(listId)) this.#removeTraces(listId);
    for (const outcome of existing) this.#attempts.note(outcome);
    await report(new Map(existing.map((outcome) => [outcome.listId, outcomeReport(outcome)])));
    const pairs = existing.flatMap((outcome) => {
      const list = present.get(outcome.listId);
      return list === undefined ? [] : [[list, outcome] as const];
    });
    await this.#earlier.note(pairs);
    for (const [list, outcome] of pairs) {
      const text = `List ${list.id} (${nameOf(list)}): ${outcome.reason}`;
      const needsMessage = outcome.needsPerson && !isRefusedEarlier(list, outcome);
      if (needsMessage) await messages.put(unavailableTopic, String(list.id), 'LIST', text);
      else await messages.clear(unavailableTopic, String(list.id));
    }
  }

  async #recordHeld(held: readonly Suspicion[]): Promise<void> {
    const { messages, emit, report } = this.#parts;
    await messages.keepOnly(
      heldTopic,
      held.map(({ listId }) => String(listId)),
    );
    for (const { listId, text } of held) {
      await messages.put(heldTopic, String(listId), 'LIST', text);
      emit['lists.held']({ listId, text });
    }
    const reports = new Map(held.map((one) => [one.listId, this.#reportInForce(one)]));
    for (const { id, held: wasHeld } of this.#parts.lists())
      if (wasHeld && !reports.has(id)) reports.set(id, { held: false });
    if (reports.size > 0) await report(reports);
  }

  /** The API shows counts and dates of the copy in force, not of the held one. */
  #reportInForce({ listId, before }: Suspicion): Partial<ListReport> {
    const { copies } = storedCopies(this.#copies, this.#parts.snapshotPath, listId, undefined);
    const copy = copies.find(({ isInForce }) => isInForce);
    return { ...(copy !== undefined && reportOf(copy)), number: before, held: true };
  }

  async #recordBuild({ isBuilt, problem = '' }: BuildResult): Promise<void> {
    const { messages } = this.#parts;
    if (!isBuilt) return messages.put(buildTopic, '', 'LIST', `${problem} ${this.#retries.noteFailed()}`);
    this.#retries.noteBuilt();
    return messages.clear(buildTopic, '');
  }

  /** Progress of a list that was deleted meanwhile is not published. */
  #publish(progress: UpdateProgress): void {
    if ('listId' in progress && !this.#exists(progress.listId)) return;
    const text = progressText(progress);
    this.#run?.add(text);
    this.#parts.emit['lists.progress']({
      listId: 'listId' in progress ? progress.listId : undefined,
      text,
    });
    if (progress.step !== 'compiled') return;
    const { names, problem } = progress;
    this.#parts.emit['lists.compiled']({ names, problem });
  }

  #removeTraces(listId: number): void {
    this.#copies.remove(listId);
    this.#attempts.forget(listId);
    this.#clearUnavailable(listId);
  }

  #clearUnavailable(listId: number): void {
    this.#inBackground(() => this.#parts.messages.clear(unavailableTopic, String(listId)));
  }

  /** Only `close` waits for the task. */
  #inBackground(work: () => Promise<unknown>): void {
    const running = work().catch((error: unknown) =>
      this.#parts.log.error('A task on lists failed; the previous snapshot stays in force', {
        reason: String(error),
      }),
    );
    this.#backgroundTasks.add(running);
    void running.finally(() => this.#backgroundTasks.delete(running));
  }
}

/** Returns `after` when the list has to be fetched: it is new, has another address, or is enabled again. */
function becameActive(before: StoredList | null, after: StoredList | null): StoredList | undefined {
  if (after?.enabled !== true) return undefined;
  return before?.enabled === true && before.address === after.address ? undefined : after;
}

function isNew({ status }: StoredList): boolean {
  return status === ListStatus.notProcessed;
}

function becameInactive(before: StoredList | null, after: StoredList | null): boolean {
  return before?.enabled === true && after?.enabled !== true;
}

function faultResult(error: unknown): UpdateResult {
  const problem = `The update failed by a fault of the service: ${String(error)}. What was in force stays.`;
  return { lists: [], names: 0, isBuilt: false, problem };
}

/** The name in messages: the user's comment, and the address, which commands accept. */
function nameOf({ comment, address }: StoredList): string {
  return comment === null ? withoutSecrets(address) : `${comment}, ${withoutSecrets(address)}`;
}

function toCompile(list: StoredList): ListToCompile {
  return { id: list.id, type: list.type, name: nameOf(list) };
}

type Reported = Pick<ListOutcome, 'fetchedMs'> & { readonly report: ListOutcome['report'] };

function reportOf({ fetchedMs, report }: Reported): Partial<ListReport> {
  return {
    ...(fetchedMs > 0 && { date_updated: Math.floor(fetchedMs / 1000) }),
    ...(report !== undefined && {
      number: report.entries,
      invalid_domains: report.invalid,
      abp_entries: report.formats.adblock,
    }),
  };
}

function outcomeReport(outcome: ListOutcome): Partial<ListReport> {
  return { status: outcome.status, ...reportOf(outcome) };
}
