// The history as its thread keeps it: opened when that is possible, fed from the rings of the dns workers,
// written each second, looked after each minute. Whatever is wrong with the disk is a situation that people
// are told of, and tried again; the rings keep the newest records meanwhile.

import { readUpstreamNames, RecordReader, RowTable } from '#engine';
import { databaseTrouble } from '#platform/sqlite';
import { SeenClients } from './seen-clients.ts';
import type { BudgetOptions } from '../segments/budget.ts';
import { HistoryStore } from '../segments/history-store.ts';
import type { ReportKind } from '../segments/store-types.ts';
import type { RetentionLimits } from '../segments/retention.ts';
import type { HistoryPlan } from './history-plan.ts';
import type { DnsTraces } from './history-messages.ts';
import { Answerer } from './answers.ts';
import { Keeping } from './record-privacy.ts';
import type { SituationName } from './protocol.ts';

export interface KeeperParts {
  readonly dataDir: string;
  readonly seeds: readonly [number, number];
  readonly wallMs: () => number;
  readonly notice: (level: 'error' | 'warn' | 'info', text: string) => void;
  /** Without a text it is over. */
  readonly onSituation: (name: SituationName, text: string | undefined) => void;
}

interface Ring {
  readonly reader: RecordReader;
  readonly counters: SharedArrayBuffer;
}

const mostAtOnce = 100_000;
const writeEveryMs = 1_000;
/** Of one ring, before the next one has its turn. */
const mostInTurn = 512;
/** After something went wrong that will hardly be better at once. */
const prepareAgainMs = 60_000;
const megabyte = 1024 * 1024;

export class HistoryKeeper {
  readonly seen = new SeenClients();
  /** Records that were taken so far. */
  taken = 0;
  readonly #parts: KeeperParts;
  readonly #situations = new Map<SituationName, string>();
  readonly #reports: { readonly text: string; readonly kind: ReportKind }[] = [];
  #writtenMs = -Infinity;
  /** What went wrong when it was last prepared for questions in vain, and when that was. */
  #unprepared = { text: '', atMs: -Infinity };
  #keeping: Keeping;
  #limits: RetentionLimits;
  #rings: readonly Ring[] = [];
  #store: HistoryStore | undefined;
  #answerer: Answerer | undefined;

  constructor(parts: KeeperParts, plan: HistoryPlan) {
    this.#parts = parts;
    this.seen.begin((rows) => new RowTable(rows, parts.seeds[0]));
    this.#keeping = new Keeping(plan, this.seen);
    this.#limits = limitsOf(plan);
  }

  /** Nothing while it cannot be opened. */
  get answerer(): Answerer | undefined {
    return this.#answerer;
  }

  get store(): HistoryStore | undefined {
    return this.#store;
  }

  get situations(): ReadonlyMap<SituationName, string> {
    return this.#situations;
  }

  /** What came until now was recorded by the plan before. */
  setPlan(plan: HistoryPlan): void {
    this.catchUp();
    this.#keeping = new Keeping(plan, this.seen);
    this.#limits = limitsOf(plan);
  }

  /** What workers that are gone have left is taken first. */
  follow(dnsMemory: readonly DnsTraces[]): void {
    this.catchUp();
    this.#rings = dnsMemory.map(({ records, counters }) => ({ reader: new RecordReader(records), counters }));
  }

  /** True when it is open now. */
  tryOpen(): boolean {
    if (this.#store !== undefined) return true;
    const { dataDir, seeds, wallMs } = this.#parts;
    try {
      const report = (text: string, kind: ReportKind): void => void this.#reports.push({ text, kind });
      this.#store = new HistoryStore({ dataDir, nowMs: wallMs(), seeds, report });
      this.#answerer = new Answerer(this.#store);
      this.#settle('disk', undefined);
      this.#tellReports();
      return true;
    } catch (error) {
      if (databaseTrouble(error) !== 'conflict') this.#settle('disk', openingFailed(dataDir, error));
      return false;
    }
  }

  /** Takes what the workers have recorded, of all of them what is older first; how many that were. */
  catchUp(): number {
    const store = this.#store;
    if (store === undefined) return 0;
    const { privacyOf } = this.#keeping;
    const rings = this.#rings
      .filter(({ reader }) => reader.hasSome)
      .map(({ reader, counters }) => ({ reader, upstreams: readUpstreamNames(counters) }));
    const atOnce = rings.length > 1 ? mostInTurn : mostAtOnce;
    let taken = 0;
    while (taken < mostAtOnce * rings.length) {
      const ring = rings.reduce((first, other) =>
        other.reader.nextMs < first.reader.nextMs ? other : first,
      );
      const got = store.take(ring.reader, { upstreams: ring.upstreams, privacyOf }, atOnce);
      if (got === 0) break;
      taken += got;
    }
    this.taken += taken;
    return taken;
  }

  /** While a long question is worked on: what comes is taken, and written each second as ever. */
  meanwhile(): void {
    if (Math.abs(this.#parts.wallMs() - this.#writtenMs) >= writeEveryMs) this.everySecond();
    else this.catchUp();
  }

  everySecond(): void {
    this.#writtenMs = this.#parts.wallMs();
    if (!this.tryOpen()) return;
    this.catchUp();
    this.#store?.everySecond(this.#parts.wallMs());
    this.#tellReports();
  }

  /** One small step; whether there is more to do. */
  care(): boolean {
    const isMore = this.#store?.everyMinute(this.#parts.wallMs(), this.#limits) ?? false;
    this.#tellReports();
    return isMore;
  }

  /** One small step of what is done before somebody asks for it; whether there is more to do. */
  prepare(budget: BudgetOptions): boolean {
    const nowMs = this.#parts.wallMs();
    if (Math.abs(nowMs - this.#unprepared.atMs) < prepareAgainMs) return false;
    try {
      return this.#answerer?.prepare(nowMs, budget) ?? false;
    } catch (error) {
      this.#leaveUnprepared(error, nowMs);
      return false;
    } finally {
      this.#tellReports();
    }
  }

  /** Nobody waits for it, and recording goes on: told once, and tried again later. */
  #leaveUnprepared(error: unknown, atMs: number): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== this.#unprepared.text)
      this.#parts.notice('error', preparingFailed(this.#parts.dataDir, error));
    this.#unprepared = { text, atMs };
  }

  /** Everything that was recorded is on the disk afterwards, if it can be. */
  close(): void {
    this.catchUp();
    this.#store?.close();
    this.#tellReports();
    this.#store = undefined;
    this.#answerer = undefined;
  }

  /** The store tells of a disk that it cannot write to, of one that it can write to again, and of damage. */
  #tellReports(): void {
    for (const { text, kind } of this.#reports.splice(0))
      this.#settle(situationOf[kind], kind === 'well' ? undefined : text);
  }

  #settle(name: SituationName, text: string | undefined): void {
    const before = this.#situations.get(name);
    if (before === text) return;
    if (text === undefined) this.#situations.delete(name);
    else this.#situations.set(name, text);
    if (text === undefined) this.#parts.notice('info', 'The history is recorded again.');
    else if (before === undefined) this.#parts.notice('error', text);
    this.#parts.onSituation(name, text);
  }
}

const situationOf: Readonly<Record<ReportKind, SituationName>> = {
  damage: 'broken',
  journal: 'journal',
  trouble: 'disk',
  well: 'disk',
};

const openingFailed = (dataDir: string, error: unknown): string =>
  `The history in ${dataDir} cannot be opened: ${error instanceof Error ? error.message : String(error)}. ` +
  'Queries are answered all the same, but are not remembered. Make room on the disk and see that the ' +
  'folder may be written; it is tried again by itself.';

const preparingFailed = (dataDir: string, error: unknown): string =>
  `The history in ${dataDir} could not be read ahead of questions: ` +
  `${error instanceof Error ? (error.stack ?? error.message) : String(error)}. Queries are recorded all ` +
  'the same, but answers about them may be slow or fail. It is tried again each minute; check the disk if ' +
  'it reports errors.';

/** In the plan 0 stands for no limit. */
const limitsOf = ({ days, megabytes, blockedDays, allowedDays }: HistoryPlan): RetentionLimits => ({
  days: days || Infinity,
  sizeBytes: megabytes * megabyte || Infinity,
  blockedDays: blockedDays || Infinity,
  allowedDays: allowedDays || Infinity,
});
