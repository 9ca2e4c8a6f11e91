// Lists at work, in the api thread: which are due, what an update brings, and when they are compiled anew. A
// new, changed or re-enabled list is fetched at once; one that goes is only left out. Whatever fails leaves
// what was compiled before in force.

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
import { ListTries } from './list-tries.ts';
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
  /** What was found out about lists, by their ids. */
  readonly report: (reports: ReadonlyMap<number, Partial<ListReport>>) => Promise<void>;
  /** Resolves when the dns workers answer by it. */
  readonly useSnapshot: (snapshot: SharedArrayBuffer) => Promise<void>;
  readonly messages: Pick<MessageBoard, 'put' | 'clear' | 'keepOnly'>;
  readonly emit: ListEventSinks;
  /** 0: only when asked. */
  readonly updateHours: () => number;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Log;
  readonly earlyBuildMs?: number;
  readonly lookEveryMs?: number;
}

export interface UpdateResult extends BuildResult {
  readonly lists: readonly ListOutcome[];
}

const lookEveryMs = 30_000;
const hourMs = 3_600_000;
/** A server that lets us wait holds up the others for so long, in what is told and in what is in force. */
const earlyBuildMs = 15_000;
const heldTopic = 'list held';
const unavailableTopic = 'list unavailable';
const buildTopic = 'lists not compiled';

export class ListService {
  readonly #parts: ListServiceParts;
  readonly #copies: ListCopies;
  readonly #builder: ListBuilder;
  readonly #tries: ListTries;
  readonly #retries: BuildRetries;
  readonly #earlier: EarlierLists;
  readonly #working = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  /** The update of all lists that is under way. */
  #run: ProgressLog<UpdateResult> | undefined;
  #isLooking = false;
  #isClosed = false;

  constructor(parts: ListServiceParts) {
    this.#parts = parts;
    this.#copies = new ListCopies(parts.listsFolder);
    this.#tries = new ListTries(this.#copies, parts);
    this.#retries = new BuildRetries(parts);
    this.#earlier = new EarlierLists(parts);
    this.#builder = new ListBuilder({
      ...parts,
      copies: this.#copies,
      lists: () => this.#enabled().map(toCompile),
      onHeld: (held) => this.#noteHeld(held),
      onBuilt: (result) => this.#noteBuilt(result),
      onProgress: (progress) => this.#tell(progress),
    });
  }

  /** Does not wait for anything that is fetched. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#look(), this.#parts.lookEveryMs ?? lookEveryMs).unref();
    this.#work(() => this.#begin());
  }

  /** What has changed in the collection of lists. */
  follow(before: StoredList | null, after: StoredList | null): void {
    if (this.#isClosed) return;
    const fresh = becameActive(before, after);
    if (fresh !== undefined && this.#mayFetch(fresh)) this.#work(() => this.#bring(fresh));
    else if (fresh !== undefined || becameInactive(before, after))
      // One without a copy adds nothing, and takes nothing away.
      this.#work(() => this.#builder.buildIfBehind());
    if (before === null) return;
    if (after === null) this.#forget(before.id);
    else if (becameInactive(before, after)) this.#clearUnavailable(before.id);
    if (becameInactive(before, after)) this.#work(() => this.#earlier.forget(before));
  }

  /** All that are enabled; goes on whatever becomes of the caller, and whoever asks meanwhile joins it. */
  update(): ProgressLog<UpdateResult> {
    if (this.#run !== undefined) return this.#run;
    const run = new ProgressLog<UpdateResult>();
    this.#run = run;
    this.#work(async () => {
      const result = await this.#updateAll().catch(faultResult);
      this.#run = undefined;
      run.end(result);
    });
    return run;
  }

  build(): Promise<BuildResult> {
    return this.#builder.build();
  }

  /** Puts a held change in force; nothing when there is none. */
  async accept({ id }: StoredList): Promise<BuildResult | undefined> {
    if (this.#builder.held(id) === undefined) return undefined;
    return this.#putInForce(id);
  }

  copiesOf({ id }: StoredList): StoredCopies {
    return storedCopies(this.#copies, this.#parts.snapshotPath, id, this.#builder.held(id));
  }

  /** Uses an earlier copy until the list changes again; nothing when there is no such copy. */
  async useCopy({ id }: StoredList, version: number): Promise<BuildResult | undefined> {
    return this.#copies.rollBack(id, version) ? this.#putInForce(id) : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const built = this.#builder.close();
    // At once: an update would wait for each list that it has yet to have examined.
    await Promise.all([this.#parts.updater.close(), this.#parts.compiler.close()]);
    await built;
    await Promise.all(this.#working);
  }

  /** A person has chosen the copy: it is not asked again whether it can be meant. */
  async #putInForce(id: number): Promise<BuildResult> {
    this.#builder.accept(id);
    const result = await this.#builder.build();
    const copy = this.#copies.current(id);
    if (result.isBuilt && copy !== undefined) await this.#parts.report(new Map([[id, reportOf(copy)]]));
    return result;
  }

  async #begin(): Promise<void> {
    const known = new Set(this.#parts.lists().map(({ id }) => id));
    for (const id of this.#copies.lists()) if (!known.has(id)) this.#copies.remove(id);
    this.#copies.removeDrafts();
    await this.#checkSnapshot();
    const near = this.#withoutCopy().filter((list) => !isRemote(list));
    // What is at hand is in force before anything is waited for that comes by the network.
    if (near.length > 0) await this.#updateSome(near);
    else if (this.#builder.isBehind()) await this.build();
    // Also those whose copies the compilation found damaged and put aside.
    const left = this.#withoutCopy().filter((list) => !near.includes(list) && this.#mayFetch(list));
    if (left.length > 0) await this.#updateSome(left);
  }

  #withoutCopy(): readonly StoredList[] {
    return this.#enabled().filter(({ id }) => this.#copies.current(id) === undefined);
  }

  /** The dns workers use none that is damaged or of another version: then it is put aside and built anew. */
  async #checkSnapshot(): Promise<void> {
    const { compiler, snapshotPath, log } = this.#parts;
    const problem = existsSync(snapshotPath) ? await compiler.check(snapshotPath) : undefined;
    if (problem !== undefined)
      log.warn('The compiled lists cannot be used, and are compiled anew', { problem });
  }

  /** Without a schedule the network is left alone until an update is asked for; other lists need none. */
  #mayFetch(list: StoredList): boolean {
    return this.#parts.updateHours() > 0 || !isRemote(list);
  }

  /** What is due by now. An update ends with a compilation that is behind, so both are never needed. */
  #look(): void {
    if (this.#isLooking || this.#run !== undefined) return;
    const intervalMs = this.#parts.updateHours() * hourMs;
    const due = intervalMs === 0 ? [] : this.#tries.due(this.#enabled(), intervalMs);
    if (due.length > 0) this.#lookWith(() => this.#updateSome(due));
    else if (this.#retries.isDue()) this.#lookWith(() => this.#builder.buildIfBehind());
  }

  #lookWith(work: () => Promise<unknown>): void {
    this.#isLooking = true;
    this.#work(() => work().finally(() => (this.#isLooking = false)));
  }

  #enabled(): readonly StoredList[] {
    return this.#parts.lists().filter(({ enabled }) => enabled);
  }

  async #bring(list: StoredList): Promise<void> {
    // One that is enabled again holds as it is stored, while its server lets us wait.
    if (isRemote(list) && this.#copies.current(list.id) !== undefined) await this.build();
    await this.#updateSome([list], true);
  }

  async #updateAll(): Promise<UpdateResult> {
    const begun = new Set<number>();
    let lists = this.#enabled();
    let result = await this.#updateSome(lists);
    for (;;) {
      for (const { id } of lists) begun.add(id);
      // Whoever joins the update expects that it has what is new since it began.
      lists = this.#enabled().filter((list) => isNew(list) && !begun.has(list.id));
      if (lists.length === 0 || this.#isClosed) return result;
      const more = await this.#updateSome(lists);
      result = { ...more, lists: [...result.lists, ...more.lists] };
    }
  }

  async #updateSome(lists: readonly StoredList[], isUrgent = false): Promise<UpdateResult> {
    const finished: ListOutcome[] = [];
    const noteNew = async (): Promise<boolean> => {
      const news = finished.splice(0);
      // What was broken off because the service ends says nothing about the lists.
      if (!this.#isClosed && news.length > 0) await this.#note(news);
      return news.some(({ status }) => status === ListStatus.downloaded);
    };
    const early = setInterval(() => {
      this.#work(async () => ((await noteNew()) ? this.build() : undefined));
    }, this.#parts.earlyBuildMs ?? earlyBuildMs);
    const onProgress = (progress: UpdateProgress): void => {
      if (progress.step === 'finished') finished.push(progress.outcome);
      this.#tell(progress);
    };
    const outcomes = await this.#parts.updater.update(lists, onProgress, isUrgent);
    clearInterval(early);
    await noteNew();
    const present = outcomes.filter(({ listId }) => this.#isThere(listId));
    return { lists: present, ...(await this.#builder.buildIfBehind()) };
  }

  #isThere(listId: number): boolean {
    return this.#parts.lists().some(({ id }) => id === listId);
  }

  async #note(outcomes: readonly ListOutcome[]): Promise<void> {
    const { report, messages } = this.#parts;
    const present = new Map(this.#parts.lists().map((list) => [list.id, list]));
    const ours = outcomes.filter(({ listId }) => present.has(listId));
    // One that was deleted while it was fetched leaves nothing behind.
    for (const { listId } of outcomes) if (!present.has(listId)) this.#forget(listId);
    for (const outcome of ours) this.#tries.note(outcome);
    await report(new Map(ours.map((outcome) => [outcome.listId, outcomeReport(outcome)])));
    const noted = ours.flatMap((outcome) => {
      const list = present.get(outcome.listId);
      return list === undefined ? [] : [[list, outcome] as const];
    });
    await this.#earlier.note(noted);
    for (const [list, outcome] of noted) {
      const text = `List ${list.id} (${nameOf(list)}): ${outcome.reason}`;
      const isTold = outcome.needsPerson && !isRefusedEarlier(list, outcome);
      if (isTold) await messages.put(unavailableTopic, String(list.id), 'LIST', text);
      else await messages.clear(unavailableTopic, String(list.id));
    }
  }

  async #noteHeld(held: readonly Suspicion[]): Promise<void> {
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

  /** What a list reports is the copy that is in force, with its dates. */
  #reportInForce({ listId, before }: Suspicion): Partial<ListReport> {
    const { copies } = storedCopies(this.#copies, this.#parts.snapshotPath, listId, undefined);
    const copy = copies.find(({ isInForce }) => isInForce);
    return { ...(copy !== undefined && reportOf(copy)), number: before, held: true };
  }

  async #noteBuilt({ isBuilt, problem = '' }: BuildResult): Promise<void> {
    const { messages } = this.#parts;
    if (!isBuilt) return messages.put(buildTopic, '', 'LIST', `${problem} ${this.#retries.noteFailed()}`);
    this.#retries.noteBuilt();
    return messages.clear(buildTopic, '');
  }

  /** What becomes of a list that was deleted meanwhile is of no interest. */
  #tell(progress: UpdateProgress): void {
    if ('listId' in progress && !this.#isThere(progress.listId)) return;
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

  #forget(listId: number): void {
    this.#copies.remove(listId);
    this.#tries.forget(listId);
    this.#clearUnavailable(listId);
  }

  #clearUnavailable(listId: number): void {
    this.#work(() => this.#parts.messages.clear(unavailableTopic, String(listId)));
  }

  /** In the background: nobody waits for it but the end of the service. */
  #work(work: () => Promise<unknown>): void {
    const running = work().catch((error: unknown) =>
      this.#parts.log.error('Work on lists failed; what was in force stays', { reason: String(error) }),
    );
    this.#working.add(running);
    void running.finally(() => this.#working.delete(running));
  }
}

/** The list as it is now, when it has to be fetched: new, with another address, or enabled again. */
const becameActive = (before: StoredList | null, after: StoredList | null): StoredList | undefined => {
  if (after?.enabled !== true) return undefined;
  return before?.enabled === true && before.address === after.address ? undefined : after;
};

const isNew = ({ status }: StoredList): boolean => status === ListStatus.notProcessed;

const becameInactive = (before: StoredList | null, after: StoredList | null): boolean =>
  before?.enabled === true && after?.enabled !== true;

const faultResult = (error: unknown): UpdateResult => ({
  lists: [],
  names: 0,
  isBuilt: false,
  problem: `The update failed by a fault of the service: ${String(error)}. What was in force stays.`,
});

/** What messages call it: what a person wrote, and what commands want to be told. */
const nameOf = ({ comment, address }: StoredList): string =>
  comment === null ? withoutSecrets(address) : `${comment}, ${withoutSecrets(address)}`;

const toCompile = (list: StoredList): ListToCompile => ({
  id: list.id,
  type: list.type,
  name: nameOf(list),
});

type Reported = Pick<ListOutcome, 'fetchedMs'> & { readonly report: ListOutcome['report'] };

const reportOf = ({ fetchedMs, report }: Reported): Partial<ListReport> => ({
  ...(fetchedMs > 0 && { date_updated: Math.floor(fetchedMs / 1000) }),
  ...(report !== undefined && {
    number: report.entries,
    invalid_domains: report.invalid,
    abp_entries: report.formats.adblock,
  }),
});

const outcomeReport = (outcome: ListOutcome): Partial<ListReport> => ({
  status: outcome.status,
  ...reportOf(outcome),
});
